/* SPDX-License-Identifier: MIT */
#include "recorder/program/functions.h"
#include "recorder/translate/cache/cache.h"

#include <fcntl.h>
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "recorder/core/output.h"
#include "traceformat/common/pages.h"
#include "recorder/program/space.h"
#include "recorder/translate/cache/cache_parts.h"
#include "recorder/translate/cache/pending_count.h"
#include "recorder/translate/plan/call_table.h"
#include "recorder/translate/store/saved_programs.h"

/* ---- beginning and end ---- */

static void fill_flags(struct tables *tables)
{
	enum { TRAP = 1, DIRECTION = 4, FIXED = MAP_FIXED };

	for (unsigned i = 0; i < sizeof(tables->direction); i++) {
		tables->trap_flag[i] = (i & TRAP) != 0;
		tables->direction[i] = i & DIRECTION ? TF_REP_DOWN : 0;
		tables->unfixed[i] = !(i & FIXED);
		tables->reads[i] = !(i & O_ACCMODE);
	}
}

static bool map_tables(struct cache *c, struct task *t)
{
	uint64_t place = shared_place_apart(t, sizeof(struct tables));
	size_t ready = 0;

	if (!place || shared_map(t, &c->memory, place, sizeof(struct tables), PROT_READ,
				 SHARED_INHERITED) < 0)
		return false;
	c->tables = (struct tables *)c->memory.local;
	pages_provide(c->memory.local, c->memory.size, c->memory.size, &ready);
	call_table_fill(c->tables->calls, sizeof(c->tables->calls));
	fill_flags(c->tables);
	return true;
}

/* Returns NULL if there is no room, or if the task has vanished. */
static struct arena *add_arena(struct cache *c, struct task *t, uint64_t pc)
{
	struct arena *a = arenas_add(&c->arenas, t, pc);

	if (a && c->arenas.count == 1)
		indirect_clear(c);
	return a;
}

/*
 * Provides all arenas now, because later users of the cache have only the arenas that exist then.
 */
static bool reach_stable_code(struct cache *c, struct task *t)
{
	const struct space *space = t->process->space;
	bool reached = true;

	for (size_t i = 0; i < space->count && reached; i++) {
		uint64_t start = space->mappings[i].start;

		if (space_is_stable(&space->mappings[i]) && !arenas_near(&c->arenas, start))
			reached = add_arena(c, t, start) || c->arenas.count;
	}
	return reached;
}

/* Makes room for the addresses in the superblocks of an earlier recording, instead of growing the
 * table again and again. */
static bool expect_saved(struct cache *c)
{
	enum { ADDRESSES = 2 /* of a tree */, MOST_TREES = 1 << 17 };
	uint32_t n = cache_has_saved(c) ? (uint32_t)c->saved->trees.count : 0;

	return pc_table_reserve(&c->pcs, ADDRESSES * (n < MOST_TREES ? n : MOST_TREES));
}

struct cache *cache_new(struct task *t)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->session = t->session;
	c->users = 1;
	c->saved = saved_programs_of(t);
	c->plan = malloc(sizeof(*c->plan));
	if (c->plan && exit_table_begin(&c->exits) && expect_saved(c) && map_tables(c, t) &&
	    reach_stable_code(c, t))
		return c;
	cache_free(c);
	return NULL;
}

/* Frees all translations. */
static void free_translations(struct cache *c)
{
	collect_executed(c);
	c->checked = NULL;
	c->armed.count = 0;
	pool_free(&c->pool);
}

void cache_free(struct cache *c)
{
	free_translations(c);
	pc_table_clear(&c->pcs);
	exit_table_free(&c->exits);
	shared_unmap(&c->memory);
	arenas_free(&c->arenas);
	TABLE_FREE(c->returns);
	TABLE_FREE(c->guards);
	code_map_clear(&c->code_map);
	free(c->x87_stores.pcs.at);
	free(c->armed.at);
	free(c->plan);
	free(c);
}

void cache_flush(struct cache *c)
{
	c->session->stats.flushes++;
	c->full = false;
	c->flushed = true;
	c->n_stale = 0;
	free_translations(c);
	pc_table_clear(&c->pcs);
	c->n_superblocks = c->n_translated = c->n_loaded = 0;
	TABLE_CLEAR(c->guards);
	c->x87_stores.pcs.count = 0;
	exit_table_clear(&c->exits);
	code_map_clear(&c->code_map);
	arenas_empty(&c->arenas);
	if (c->arenas.count)
		indirect_clear(c);
}

bool cache_was_flushed(const struct cache *c)
{
	return c->flushed;
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

/* ---- users ---- */

struct cache *cache_share(struct cache *c)
{
	c->users++;
	return c;
}

unsigned cache_users(const struct cache *c)
{
	return c->users;
}

void cache_leave(struct cache *c)
{
	c->users--;
}

bool cache_map(struct cache *c, struct task *t)
{
	if (shared_map_there(t, &c->memory, PROT_READ) == 0 && arenas_map_there(&c->arenas, t))
		return true;
	shared_unmap_all(t);
	return false;
}

/* ---- adding ---- */

/* Returns the arena for code near pc. If there is no room near pc, returns the nearest arena; the
 * translation then reports operands that are too far away. Returns NULL if there is no arena. */
static struct arena *arena_for(struct cache *c, struct task *task, uint64_t pc)
{
	struct arena *a = arenas_near(&c->arenas, pc);

	if (!a)
		a = add_arena(c, task, pc);
	return a ? a : arenas_nearest(&c->arenas, pc);
}

static void count(struct record_stats *stats, const struct translation *t)
{
	stats->superblocks++;
	stats->insns += t->n_insns;
	stats->code_bytes += t->size;
}

/* Makes a new translation a part of the cache. */
static void admit(struct cache *c, struct translation *t)
{
	exit_table_add(&c->exits, t);
	c->n_translated++;
	if (t->counted)
		indirect_begin_to_count(c);
	if (t->bounded)
		return;
	if (t->counted)
		pending_count_record(&c->pcs, t);
	if (t->checked) {
		t->next_checked = c->checked;
		c->checked = t;
	}
	links_add(c, t);
}

/* Returns true if the plan's last instruction may use a call stub: a syscall instruction. int 0x80
 * has other call numbers. */
static bool can_call(const struct plan *p)
{
	enum { TWO_BYTES = 0x0f, SYSCALL = 0x05 };
	const uint8_t *code = p->insns[p->n_insns - 1].code;

	return code[0] == TWO_BYTES && code[1] == SYSCALL;
}

/* Returns the room that is left in the arena after so many bytes. */
static size_t room(const struct arena *a, unsigned bytes)
{
	size_t left = a->memory.size - a->used;

	return left > bytes ? left - bytes : 0;
}

/* Translates the plan to the arena: the superblock and, if indirect jumps enter it, the prefix
 * before it. */
static int write_path(struct cache *c, struct arena *a, struct plan *plan, struct translation **t,
		      unsigned *insn)
{
	bool entered = plan->options.entered && !plan->start.pending;
	unsigned before = entered ? INDIRECT_PREFIX_BYTES : 0;
	uint64_t others = before ? indirect_others(c, a, plan) : 0, pc = arena_next_pc(a) + before;

	switch (translate(plan, arena_local(a, pc), room(a, before), pc, c->exits.count, &c->pool,
			  t, insn)) {
	case TRANSLATED: break;
	case TRANSLATE_FAR: return CACHE_FAR;
	case TRANSLATE_FULL: c->full = true; return CACHE_FULL;
	case TRANSLATE_MEMORY: return output_memory(c->session->output);
	}
	if ((!before || indirect_add_before(a, *t, others)) && arena_keep_path(a, *t))
		return CACHE_ADDED;
	return output_memory(c->session->output);
}

static int add(struct cache *c, struct task *task, struct plan *plan,
	       struct translation **translation, unsigned *insn)
{
	struct arena *a;
	int status;

	if (c->users > 1 && !arenas_near(&c->arenas, plan->pc))
		return CACHE_CROWDED;
	if (task->state == TASK_RUNNING && !arenas_near(&c->arenas, plan->pc))
		return CACHE_AWAY;
	a = arena_for(c, task, plan->pc);
	if (!a)
		return CACHE_FULL;
	if (!exit_table_fits(&c->exits, plan->n_exits)) {
		c->full = true;
		return CACHE_FULL;
	}
	plan->options.call_stub = !can_call(plan)         ? 0
				  : plan->options.counted ? a->counted_call.pc
							  : a->call.pc;
	plan->options.request_stub = plan->options.bounded ? 0 : a->request.pc;
	if (!pc_table_reserve(&c->pcs, plan->n_exits + 1))
		return output_memory(c->session->output);
	for (unsigned i = 0; i < plan->n_exits; i++)
		pc_table_fetch(&c->pcs, plan->exits[i].target);
	if (plan->options.counted)
		pending_count_plan(&c->pcs, plan);
	status = write_path(c, a, plan, translation, insn);
	if (status != CACHE_ADDED)
		return status;
	count(&task->session->stats, *translation);
	if (!x87_stores_add(&c->x87_stores, &c->arenas, plan, *translation))
		return output_memory(c->session->output);
	admit(c, *translation);
	if ((*translation)->prefix)
		indirect_enter(c, *translation);
	return CACHE_ADDED;
}

/* Adds a translation in front of the others of its pc. */
static void add_to(struct cache *c, struct pc_entry *at, struct translation *t)
{
	t->next = at->first;
	at->first = t;
	c->n_superblocks++;
}

/* Lets exits be linked to an entry inside the superblock, unless its pc has a counting variant or
 * another pending count, or there is no memory. */
static void add_entry(struct cache *c, const struct translation *superblock,
		      const struct entry *entry)
{
	struct translation *inside;
	struct pc_entry *at;

	if (cache_find(c, entry->pc, true) || !pc_table_reserve(&c->pcs, 1))
		return;
	at = pc_table_at(&c->pcs, entry->pc);
	if (at->has_pending && at->pending != entry->pending)
		return;
	inside = pool_alloc(&c->pool, sizeof(*inside));
	if (!inside)
		return;
	*inside = (struct translation){
		.pc = entry->pc,
		.code = superblock->code + entry->offset,
		.pending = entry->pending,
		.counted = true,
		.inside = true,
		.extension_done = true,
		.trace_path = TF_NONE,
	};
	pending_count_set(at, entry->pending);
	add_to(c, at, inside);
	cache_link(c, inside);
}

int cache_add(struct cache *c, struct task *task, struct plan *plan,
	      struct translation **translation, unsigned *insn)
{
	int status = add(c, task, plan, translation, insn);

	if (status == CACHE_ADDED) {
		add_to(c, pc_table_at(&c->pcs, plan->pc), *translation);
		if (!plan->options.bounded)
			cache_link(c, *translation);
		for (unsigned i = 0; i < (*translation)->n_entries; i++)
			add_entry(c, *translation, &(*translation)->entries[i]);
	}
	return status;
}

int cache_extend(struct cache *c, struct task *task, struct plan *plan,
		 struct translation *superblock, unsigned exit, struct translation **extension,
		 unsigned *insn)
{
	const struct side_exit *side_exit = &superblock->exits[exit].side_exit;
	struct translation *t;
	int status;

	assert(!superblock->n_entries);
	plan->start = (struct plan_start){ .inside = true,
					   .indirect = !superblock->exits[exit].target,
					   .guard = side_exit->guard,
					   .n_insns = side_exit->n_insns,
					   .q = superblock->q,
					   .t = superblock->t,
					   .flags = side_exit->flags,
					   .counted = side_exit->counted,
					   .rsp = side_exit->rsp };
	status = add(c, task, plan, extension, insn);
	if (status != CACHE_ADDED)
		return status;
	t = *extension;
	superblock->exits[exit].extended = true;
	t->extension_done = true;
	t->extends = superblock;
	t->extends_exit = (uint16_t)exit;
	links_write_jump(c, side_exit->pc, t);
	return CACHE_ADDED;
}

unsigned cache_record_size(const struct session *session, const struct cache *cache,
			   const uint8_t *from, struct cache_exit *exit)
{
	uint32_t head = *(const uint32_t *)from, number = head % TF_RECORD_KEYS;
	uint32_t n_places = head / TF_RECORD_KEYS;

	*exit = (struct cache_exit){ .translation = NULL };
	if (head == RECORD_RETURN)
		return (unsigned)record_slot(RECORD_RETURN_SLOTS);
	if (head == RECORD_SYSCALL)
		return (unsigned)record_slot(RECORD_SYSCALL_SLOTS);
	if (head >= RECORD_CALL)
		return (unsigned)record_slot(RECORD_CALL_SLOTS +
					     functions_args(session, head - RECORD_CALL));
	if (number >= cache_exits(cache))
		return 0;
	*exit = cache_exit(cache, number);
	/* A caller that goes on to the next record need not wait for the translation's memory. */
	if (n_places == TF_RECORD_LONG)
		n_places = exit->translation->exits[exit->exit].n_places;
	return (unsigned)record_slot(n_places);
}
