/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "recorder/output.h"
#include "recorder/space.h"
#include "recorder/translate/assembler.h"

enum {
	ARENAS = 16,
	ARENA_BYTES = 32 << 20,
	FIRST_BUCKETS = 1 << 12,
	TARGETS = 1 << 17,
	MAX_EXITS = 1 << 24,
};

struct piece {
	uint64_t pc;
	enum cache_place place;
	struct translation *path;	/* which it is, or leads to; NULL for the trap of misses */
};

struct arena {
	struct shared memory;
	size_t used;		/* bytes */
	uint64_t miss;		/* cache pc of its trap for targets without a translation */
	struct piece *pieces;	/* ascending */
	size_t n_pieces, room;
};

struct cache {
	struct session *session;
	unsigned users;			/* address spaces */
	struct shared memory;		/* of the tables */
	struct tables *tables;
	struct arena arenas[ARENAS];
	unsigned n_arenas;
	struct translation **buckets;
	uint32_t n_buckets, count;
	struct translation *extensions;	/* which begin at no pc of their own */
	struct translation *checked;
	unsigned n_stale;
	struct cache_exit *exits;	/* MAX_EXITS: they never move, the encoder reads them */
	uint32_t *trace_exits;
	uint32_t n_exits;
	/* Exits by a hash of their target: the number of the latest one + 1, and for each number
	 * that of the one before, or 0. */
	uint32_t by_target[TARGETS], *same_target;
	struct block_table blocks;
	struct code_map code_map;
	bool full;
	void *guards;		/* tsearch: see cache_note_guard */
	void *returns;		/* tsearch: return addresses of watched functions, uint64_t */
};

/* Pages of 0 that take memory only where they are used. */
static void *reserve(size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

static void unreserve(void *pages, size_t size)
{
	if (pages)
		munmap(pages, size);
}

static bool map_tables(struct cache *c, struct task *t)
{
	uint64_t place = shared_place_apart(t, sizeof(struct tables));

	if (!place || shared_map(t, &c->memory, place, sizeof(struct tables), PROT_READ,
				 SHARED_INHERITED) < 0)
		return false;
	c->tables = (struct tables *)c->memory.local;
	return true;
}

struct cache *cache_share(struct cache *c)
{
	c->users++;
	return c;
}

unsigned cache_users(const struct cache *c)
{
	return c->users;
}

uint64_t cache_tables(const struct cache *c)
{
	return c->memory.remote;
}

struct block_table *cache_blocks(struct cache *c)
{
	return &c->blocks;
}

static void free_list(struct translation *t)
{
	while (t) {
		struct translation *next = t->next;

		free(t->returned);
		free(t);
		t = next;
	}
}

static void free_translations(struct cache *c)
{
	for (uint32_t i = 0; c->buckets && i < c->n_buckets; i++) {
		free_list(c->buckets[i]);
		c->buckets[i] = NULL;
	}
	free_list(c->extensions);
	c->extensions = c->checked = NULL;
	c->count = 0;
}

void cache_leave(struct cache *c)
{
	c->users--;
}

void cache_free(struct cache *c)
{
	free_translations(c);
	shared_unmap(&c->memory);
	for (unsigned i = 0; i < c->n_arenas; i++) {
		shared_unmap(&c->arenas[i].memory);
		free(c->arenas[i].pieces);
	}
	tdestroy(c->returns, free);
	tdestroy(c->guards, free);
	free(c->buckets);
	unreserve(c->exits, MAX_EXITS * sizeof(*c->exits));
	unreserve(c->trace_exits, MAX_EXITS * sizeof(*c->trace_exits));
	unreserve(c->same_target, MAX_EXITS * sizeof(*c->same_target));
	block_table_clear(&c->blocks);
	code_map_clear(&c->code_map);
	free(c);
}

static bool map_all(struct cache *c, struct task *t)
{
	if (shared_map_there(t, &c->memory, PROT_READ) < 0)
		return false;
	for (unsigned i = 0; i < c->n_arenas; i++)
		if (shared_map_there(t, &c->arenas[i].memory, PROT_READ | PROT_EXEC) < 0)
			return false;
	return true;
}

bool cache_map(struct cache *c, struct task *t)
{
	if (map_all(c, t))
		return true;
	shared_unmap_all(t);
	return false;
}

struct code_map *cache_code_map(struct cache *c)
{
	return &c->code_map;
}

size_t cache_bytes(const struct cache *c)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < c->n_arenas; i++)
		bytes += c->arenas[i].used;
	return bytes;
}

/* ---- translations by pc ---- */

static struct translation **bucket(const struct cache *c, uint64_t pc)
{
	return &c->buckets[(pc * 0x9e3779b97f4a7c15u >> 32) & (c->n_buckets - 1)];
}

static struct translation *at_pc(struct translation *t, uint64_t pc)
{
	while (t && t->pc != pc)
		t = t->next;
	return t;
}

struct translation *cache_first(const struct cache *c, uint64_t pc)
{
	return at_pc(*bucket(c, pc), pc);
}

struct translation *cache_next(const struct translation *t)
{
	return at_pc(t->next, t->pc);
}

struct translation *cache_find(const struct cache *c, uint64_t pc)
{
	struct translation *t = cache_first(c, pc);

	while (t && t->status != TRANSLATION_LIVE)
		t = cache_next(t);
	return t;
}

struct translation *cache_checked(const struct cache *c)
{
	return c->checked;
}

static void grow(struct cache *c)
{
	struct cache larger = { .n_buckets = c->n_buckets * 2 };

	larger.buckets = calloc(larger.n_buckets, sizeof(*larger.buckets));
	if (!larger.buckets)
		return;		/* the chains become longer */
	for (uint32_t i = 0; i < c->n_buckets; i++)
		while (c->buckets[i]) {
			struct translation *t = c->buckets[i];
			struct translation **to = bucket(&larger, t->pc);

			c->buckets[i] = t->next;
			while (*to)	/* the newest of a pc stays the first */
				to = &(*to)->next;
			t->next = NULL;
			*to = t;
		}
	free(c->buckets);
	c->n_buckets = larger.n_buckets;
	c->buckets = larger.buckets;
}

static void insert(struct cache *c, struct translation *t)
{
	struct translation **to;

	if (c->count++ == c->n_buckets)
		grow(c);
	to = bucket(c, t->pc);
	t->next = *to;
	*to = t;
}

/* ---- exits ---- */

const uint32_t *cache_trace_exits(const struct cache *c)
{
	return c->trace_exits;
}

void cache_set_trace_exit(struct cache *c, uint32_t number, uint32_t id)
{
	c->trace_exits[number] = id;
}

struct cache_exit cache_exit(const struct cache *c, uint32_t number)
{
	return c->exits[number];
}

uint32_t cache_exits(const struct cache *c)
{
	return c->n_exits;
}

/* ---- arenas ---- */

static bool add_piece(struct arena *a, uint64_t pc, enum cache_place place,
		      struct translation *path)
{
	if (a->n_pieces == a->room) {
		size_t room = a->room ? a->room * 2 : FIRST_BUCKETS;
		struct piece *larger = realloc(a->pieces, room * sizeof(*larger));

		if (!larger)
			return false;
		a->pieces = larger;
		a->room = room;
	}
	a->pieces[a->n_pieces++] = (struct piece){ pc, place, path };
	return true;
}

static uint64_t next_pc(const struct arena *a)
{
	return a->memory.remote + a->used;
}

static void begin(const struct arena *a, struct assembler *as)
{
	asm_begin(as, a->memory.local + a->used, a->memory.size - a->used, next_pc(a));
}

/* Keeps what has been written; false: it did not fit. */
static bool keep(struct arena *a, struct assembler *as, enum cache_place place,
		 struct translation *path)
{
	enum { ALIGNMENT = 16 };

	if (!asm_end(as) || !add_piece(a, as->pc, place, path))
		return false;
	a->used += ((size_t)(as->at - as->start) + ALIGNMENT - 1) & -(size_t)ALIGNMENT;
	return true;
}

static bool begin_arena(struct arena *a)
{
	struct assembler as;

	a->used = a->n_pieces = 0;
	begin(a, &as);
	a->miss = asm_here(&as);
	asm_trap(&as, UINT32_MAX);
	return keep(a, &as, CACHE_INDIRECT, NULL);
}

static uint64_t distance(const struct arena *a, uint64_t pc)
{
	const struct shared *m = &a->memory;

	return pc > m->remote ? pc - m->remote : m->remote + m->size - pc;
}

static struct arena *nearest_arena(struct cache *c, uint64_t pc)
{
	struct arena *nearest = NULL;

	for (unsigned i = 0; i < c->n_arenas; i++)
		if (!nearest || distance(&c->arenas[i], pc) < distance(nearest, pc))
			nearest = &c->arenas[i];
	return nearest;
}

static struct arena *arena_near(struct cache *c, uint64_t pc)
{
	static const uint64_t reach = UINT64_C(5) << 28;
	struct arena *a = nearest_arena(c, pc);

	return a && distance(a, pc) < reach ? a : NULL;
}

static void fill_targets(struct cache *c)
{
	for (unsigned i = 0; i < CONTEXT_TARGETS; i++)
		c->tables->targets[i] = c->arenas[0].miss;
}

/* NULL: there is no room, or the task has vanished. */
static struct arena *new_arena(struct cache *c, struct task *t, uint64_t pc)
{
	struct arena *a = &c->arenas[c->n_arenas];
	uint64_t place = c->n_arenas < ARENAS ? shared_place(t, pc, ARENA_BYTES) : 0;

	if (!place || shared_map(t, &a->memory, place, ARENA_BYTES, PROT_READ | PROT_EXEC,
				 SHARED_INHERITED) < 0 ||
	    !begin_arena(a))
		return NULL;
	if (c->n_arenas++ == 0)
		fill_targets(c);
	return a;
}

/* Who shares the cache later has what is there. */
static bool reach_stable_code(struct cache *c, struct task *t)
{
	const struct space *space = t->process->space;
	bool reached = true;

	for (size_t i = 0; i < space->count && reached; i++) {
		uint64_t start = space->mappings[i].start;

		if (space_is_stable(&space->mappings[i]) && !arena_near(c, start))
			reached = new_arena(c, t, start) || c->n_arenas;
	}
	return reached;
}

struct cache *cache_new(struct task *t)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->session = t->session;
	c->users = 1;
	c->n_buckets = FIRST_BUCKETS;
	c->buckets = calloc(c->n_buckets, sizeof(*c->buckets));
	c->exits = reserve(MAX_EXITS * sizeof(*c->exits));
	c->trace_exits = reserve(MAX_EXITS * sizeof(*c->trace_exits));
	c->same_target = reserve(MAX_EXITS * sizeof(*c->same_target));
	if (c->buckets && c->exits && c->trace_exits && c->same_target && map_tables(c, t) &&
	    reach_stable_code(c, t))
		return c;
	cache_free(c);
	return NULL;
}

void cache_flush(struct cache *c)
{
	c->session->stats.flushes++;
	c->full = false;
	c->n_stale = 0;
	free_translations(c);
	tdestroy(c->guards, free);
	c->guards = NULL;
	c->n_exits = 0;
	memset(c->by_target, 0, sizeof(c->by_target));
	block_table_clear(&c->blocks);
	code_map_clear(&c->code_map);
	for (unsigned i = 0; i < c->n_arenas; i++)
		begin_arena(&c->arenas[i]);
	if (c->n_arenas)
		fill_targets(c);
}

bool cache_is_full(const struct cache *c)
{
	return c->full;
}

void cache_note_stale(struct cache *c)
{
	enum { TOO_MANY = 4096 };

	if (++c->n_stale == TOO_MANY)
		c->full = true;
}

/* ---- links ---- */

static struct arena *arena_of(struct cache *c, uint64_t pc)
{
	for (unsigned i = 0; i < c->n_arenas; i++)
		if (pc - c->arenas[i].memory.remote < c->arenas[i].memory.size)
			return &c->arenas[i];
	return NULL;
}

static uint8_t *local(const struct arena *a, uint64_t pc)
{
	return a->memory.local + (pc - a->memory.remote);
}

uint8_t *cache_local(const struct cache *c, uint64_t pc)
{
	return local(arena_of((struct cache *)c, pc), pc);
}

/* A jump in this arena to a place too far for a direct one; 0: there is no room. */
static uint64_t bridge(struct arena *a, struct translation *to)
{
	struct assembler as;
	uint64_t pc = next_pc(a);

	begin(a, &as);
	asm_jump(&as, to->code);
	return keep(a, &as, CACHE_BRIDGE, to) ? pc : 0;
}

/*
 * A trap becomes a jump while other threads may be running into it: as long as its first byte is
 * the trap's, what follows is not looked at. All of it is in one line (asm_patchable), so nobody
 * fetches a new first byte with an old rest. A jump becomes another one only while they are out.
 */
static void become_jump(uint8_t *at, uint64_t pc, uint64_t target)
{
	struct assembler as;
	uint8_t jump[ASM_JUMP_BYTES];

	asm_begin(&as, jump, sizeof(jump), pc);
	asm_jump(&as, target);
	memcpy(at + 1, jump + 1, sizeof(jump) - 1);
	__atomic_store_n(at, jump[0], __ATOMIC_RELEASE);
}

void cache_lead(struct cache *c, uint64_t trap, struct translation *to)
{
	struct arena *a = arena_of(c, trap), *b = arena_of(c, to->code);
	uint64_t target = a == b ? to->code : bridge(a, to);

	if (target)
		become_jump(local(a, trap), trap, target);
}

static const struct translation_exit *exit_of(const struct cache *c, uint32_t number)
{
	const struct cache_exit *e = &c->exits[number];

	return &e->translation->exits[e->exit];
}

static uint32_t *first_to(struct cache *c, uint64_t target)
{
	return &c->by_target[target * 0x9e3779b97f4a7c15u >> 32 & (TARGETS - 1)];
}

/* Leads a translation's exits to others, now or when there are some. */
static void link_from(struct cache *c, const struct translation *t)
{
	for (unsigned i = 0; i < t->n_exits; i++) {
		const struct translation_exit *e = &t->exits[i];
		uint32_t *first = first_to(c, e->target);
		struct translation *to;

		if (!e->jump || e->syscall)
			continue;
		c->same_target[t->first_exit + i] = *first;
		*first = t->first_exit + i + 1;
		to = cache_find(c, e->target);
		if (to)
			cache_lead(c, e->jump, to);
	}
}

/* Exits that lead to an older version of what is checked go on to do so: that leads to this one. */
void cache_link(struct cache *c, struct translation *t)
{
	for (uint32_t n = *first_to(c, t->pc); n; n = c->same_target[n - 1]) {
		const struct translation_exit *e = exit_of(c, n - 1);

		if (e->target == t->pc && (!t->checked || asm_is_trap(cache_local(c, e->jump))))
			cache_lead(c, e->jump, t);
	}
}

/* Compares the target in rcx with pc. If it is another one, control goes to `other`. */
static void compare_target(struct assembler *as, uint64_t pc, uint64_t other)
{
	uint8_t *found;

	asm_load_literal(as, ISA_RAX, -pc);
	asm_lea(as, ISA_RCX, ISA_RCX, ISA_RAX, 1, 0);
	found = asm_jump_if_rcx_0(as);
	asm_load_gs(as, ISA_RCX, CONTEXT_AT(target));
	asm_jump(as, other);
	asm_short_target(as, found);
}

static uint64_t *entry_of(struct cache *c, const struct translation *to)
{
	return &c->tables->targets[to->pc & (CONTEXT_TARGETS - 1)];
}

/* Where jumps enter. */
static bool add_prefix(struct cache *c, struct arena *a, struct translation *to)
{
	struct assembler as;

	begin(a, &as);
	compare_target(&as, to->pc, *entry_of(c, to));
	asm_load_gs(&as, ISA_RCX, CONTEXT_AT(saved_rcx));
	asm_load_gs(&as, ISA_RAX, CONTEXT_AT(saved_rax));
	asm_jump(&as, to->code);
	return keep(a, &as, CACHE_INDIRECT, to);
}

static void mark(const struct assembler *as, struct translation *t, unsigned flags)
{
	t->states[t->n_states++] = (struct state){
		.offset = (uint32_t)(as->at - as->start), .place = AT_TARGET,
		.flags = (uint8_t)(STATE_LEFT | STATE_RCX_SAVED | STATE_RAX_SAVED | flags),
	};
}

/* Where returns of watched functions enter: writes the record. Its states make it a translation. */
static bool add_return_prefix(struct cache *c, struct arena *a, struct translation *to)
{
	enum { Q = 11, STATES = 5 };
	const int32_t size = record_slot(RECORD_RETURN_SLOTS);
	struct translation *t = calloc(1, sizeof(*t) + STATES * sizeof(*t->states));
	struct assembler as;

	if (!t)
		return false;
	begin(a, &as);
	*t = (struct translation){ .pc = to->pc, .code = as.pc, .q = Q,
				   .event_bytes = (uint16_t)size };
	t->states = (struct state *)(t + 1);
	mark(&as, t, 0);
	compare_target(&as, to->pc, *entry_of(c, to));
	asm_store_gs(&as, CONTEXT_AT(saved_q), Q);
	asm_load_gs(&as, Q, CONTEXT_AT(record));
	mark(&as, t, STATE_Q_SAVED);
	asm_store(&as, Q, record_slot(0), ISA_RSP, 8);
	asm_load_gs(&as, ISA_RAX, CONTEXT_AT(saved_rax));
	asm_store(&as, Q, record_slot(1), ISA_RAX, 8);
	asm_load_gs(&as, ISA_RCX, CONTEXT_AT(target));
	asm_store(&as, Q, record_slot(2), ISA_RCX, 8);
	asm_store_constant(&as, Q, 0, (int32_t)RECORD_RETURN);
	asm_lea(&as, Q, Q, ISA_NO_REGISTER, 0, size);
	asm_store_gs(&as, CONTEXT_AT(record), Q);
	mark(&as, t, STATE_Q_SAVED | STATE_UNDO);
	asm_load_gs(&as, Q, CONTEXT_AT(saved_q));
	mark(&as, t, STATE_UNDO);
	asm_load_gs(&as, ISA_RCX, CONTEXT_AT(saved_rcx));
	asm_jump(&as, to->code);
	if (!keep(a, &as, CACHE_PATH, t)) {
		free(t);
		return false;
	}
	to->returned = t;
	return true;
}

static int by_pc(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void cache_link_indirect(struct cache *c, struct translation *to)
{
	struct arena *a = arena_of(c, to->code);
	uint64_t prefix = next_pc(a);
	bool added;

	if (to->prefix)
		return;
	if (cache_watches_return(c, to->pc))
		added = add_return_prefix(c, a, to);
	else
		added = add_prefix(c, a, to);
	if (!added)
		return;
	to->prefix = prefix;
	__atomic_store_n(entry_of(c, to), prefix, __ATOMIC_RELEASE);
}

/* Makes a prefix lead on to others for every target. */
static void disable_prefix(struct cache *c, struct translation *t)
{
	const uint64_t no_target = 1;

	if (!t->prefix)
		return;
	__atomic_store_n((uint64_t *)asm_literal_of(local(arena_of(c, t->prefix), t->prefix)),
			 no_target, __ATOMIC_RELEASE);	/* literals are aligned */
	t->prefix = 0;
}

/* Adds pc to a set. */
static bool note(void **set, uint64_t pc)
{
	uint64_t *key;

	if (tfind(&pc, set, by_pc))
		return true;
	key = malloc(sizeof(*key));
	if (!key)
		return false;
	*key = pc;
	if (tsearch(key, set, by_pc))
		return true;
	free(key);
	return false;
}

void cache_watch_return(struct cache *c, uint64_t pc)
{
	struct translation *t = cache_find(c, pc);
	bool known = cache_watches_return(c, pc);

	c->tables->returns[pc & (CONTEXT_TARGETS - 1)] = pc;
	if (note(&c->returns, pc) && !known && t)
		disable_prefix(c, t);
}

bool cache_watches_return(const struct cache *c, uint64_t pc)
{
	return tfind(&pc, &c->returns, by_pc);
}

bool cache_note_guard(struct cache *c, uint64_t pc)
{
	return note(&c->guards, pc);
}

bool cache_has_guard(const struct cache *c, uint64_t pc)
{
	return tfind(&pc, &c->guards, by_pc);
}

bool cache_replace(struct cache *c, struct translation *old, struct translation *with,
		   uint64_t stopped)
{
	struct arena *a = arena_of(c, old->code), *b = arena_of(c, with->code);
	uint64_t target = a == b ? with->code : bridge(a, with);
	struct assembler as;

	if (!target || stopped - old->code < ASM_JUMP_BYTES)
		return false;
	asm_begin(&as, local(a, old->code), ASM_JUMP_BYTES, old->code);
	asm_jump(&as, target);
	old->status = TRANSLATION_REPLACED;
	if (old->prefix) {
		disable_prefix(c, old);
		cache_link_indirect(c, with);
	}
	return true;
}

/* ---- adding ---- */

/* Where all around is taken, it is the nearest one that there is: what is too far from there is
 * found out when it is translated. NULL: there is none. */
static struct arena *arena_for(struct cache *c, struct task *task, uint64_t pc)
{
	struct arena *a = arena_near(c, pc);

	if (!a)
		a = new_arena(c, task, pc);
	return a ? a : nearest_arena(c, pc);
}

static int add(struct cache *c, struct task *task, const struct plan *plan,
	       struct translation **translation, unsigned *insn)
{
	struct record_stats *stats = &task->session->stats;
	struct translation *t;
	struct arena *a;

	if (c->users > 1 && !arena_near(c, plan->pc))
		return CACHE_CROWDED;
	a = arena_for(c, task, plan->pc);
	if (!a)
		return CACHE_FULL;
	if (c->n_exits + plan->n_exits > MAX_EXITS) {
		c->full = true;
		return CACHE_FULL;
	}
	switch (translate(plan, a->memory.local + a->used, a->memory.size - a->used, next_pc(a),
			  c->n_exits, &t, insn)) {
	case TRANSLATED:
		break;
	case TRANSLATE_FAR:
		return CACHE_FAR;
	case TRANSLATE_FULL:
		c->full = true;
		return CACHE_FULL;
	case TRANSLATE_MEMORY:
		return output_memory(task->session->output);
	}
	if (!add_piece(a, t->code, CACHE_PATH, t)) {
		free(t);
		return output_memory(task->session->output);
	}
	a->used += (t->size + 15u) & ~15u;
	stats->paths++;
	stats->insns += t->n_insns;
	stats->code_bytes += t->size;
	for (unsigned i = 0; i < t->n_exits; i++) {
		c->trace_exits[c->n_exits] = TF_NONE;
		c->exits[c->n_exits++] = (struct cache_exit){ t, i };
	}
	if (t->checked) {
		t->next_checked = c->checked;
		c->checked = t;
	}
	link_from(c, t);
	*translation = t;
	return CACHE_ADDED;
}

int cache_add(struct cache *c, struct task *task, const struct plan *plan,
	      struct translation **translation, unsigned *insn)
{
	int status = add(c, task, plan, translation, insn);

	if (status == CACHE_ADDED) {
		insert(c, *translation);
		cache_link(c, *translation);
	}
	return status;
}

int cache_extend(struct cache *c, struct task *task, struct plan *plan,
		 const struct translation *path, unsigned exit, unsigned *insn)
{
	const struct way *way = &path->exits[exit].way;
	struct translation *t;
	struct assembler as;
	int status;

	plan->start = (struct plan_start){ .inside = true, .indirect = !path->exits[exit].target,
					   .n_insns = way->n_insns, .q = path->q, .t = path->t,
					   .flags = way->flags };
	status = add(c, task, plan, &t, insn);
	if (status != CACHE_ADDED)
		return status;
	t->joined = true;
	t->next = c->extensions;
	c->extensions = t;
	asm_begin(&as, local(arena_of(c, way->pc), way->pc), ASM_JUMP_BYTES, way->pc);
	asm_jump(&as, t->code);
	return CACHE_ADDED;
}

/* ---- where ---- */

static const struct piece *find_piece(const struct arena *a, uint64_t pc)
{
	size_t low = 0, high = a->n_pieces;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (a->pieces[middle].pc <= pc)
			low = middle;
		else
			high = middle;
	}
	return &a->pieces[low];
}

enum cache_place cache_where(const struct cache *c, uint64_t pc, struct translation **path)
{
	const struct arena *a = arena_of((struct cache *)c, pc);
	const struct piece *piece = a ? find_piece(a, pc) : NULL;

	*path = piece ? piece->path : NULL;
	return piece ? piece->place : CACHE_ELSEWHERE;
}

bool cache_at_miss(const struct cache *c, uint64_t pc)
{
	const struct arena *a = arena_of((struct cache *)c, pc);

	return a && a->miss == pc;
}
