/* SPDX-License-Identifier: MIT */
/*
 * Links indirect jumps to translations. A jump goes through the table of targets to a prefix, which
 * compares the whole target and jumps to the next prefix if the target differs. The last prefix
 * jumps to the miss stub.
 */
#include <assert.h>
#include <string.h>

#include "recorder/translate/cache/cache_parts.h"

static void clear(const struct cache *c, uint64_t targets[CONTEXT_TARGETS])
{
	for (unsigned i = 0; i < CONTEXT_TARGETS; i++)
		targets[i] = c->arenas.list[0]->miss.pc;
}

void indirect_clear(struct cache *c)
{
	clear(c, c->tables->targets);
	c->counts = false;
}

void indirect_begin_to_count(struct cache *c)
{
	if (!c->counts)
		clear(c, c->tables->counted);
	c->counts = true;
}

/* Offsets in a prefix. The literal that it compares with stands before it. */
enum {
	PREFIX_ENTRY = 8,
	PREFIX_INDEX_BACK = 39, /* rcx and INDEX_REGISTER are restored */
	/* TARGET_REGISTER is restored; a pending count is added next, if not 0 */
	PREFIX_TARGET_BACK = INDIRECT_PREFIX_BYTES,
	PREFIX_PENDING_BYTES = 10, /* size of the code that adds the pending count */
};

/* Begins a prefix: continues if the target is pc, otherwise jumps to `other`. */
static void compare_target(struct assembler *as, uint64_t pc, uint64_t other)
{
	const uint64_t negative = -pc;
	const uint8_t padding = 0xcc;
	uint8_t *found;

	asm_bytes(as, &negative, sizeof(negative));
	asm_load_near(as, ISA_RCX, as->pc, sizeof(negative));
	asm_lea(as, ISA_RCX, ISA_RCX, TARGET_REGISTER, 1, 0);
	found = asm_jump_if_rcx_0(as);
	asm_jump(as, other);
	asm_bytes(as, &padding, sizeof(padding));
	asm_short_target(as, found);
}

static void give_back_index(struct assembler *as)
{
	asm_move(as, ISA_RCX, INDEX_REGISTER);
	asm_load_gs(as, INDEX_REGISTER, CONTEXT_AT(saved_index));
}

static void give_back_target(struct assembler *as)
{
	asm_load_gs(as, TARGET_REGISTER, CONTEXT_AT(saved_target));
}

uint16_t cache_lookup_flags(const struct cache *c, uint64_t pc)
{
	uint64_t offset = pc - arenas_piece(&c->arenas, pc);
	struct translation *none;

	if (cache_where(c, pc, &none) == CACHE_MISS)
		return STATE_TARGET_SAVED | STATE_INDEX_SAVED;
	if (offset >= PREFIX_TARGET_BACK)
		return 0;
	return STATE_TARGET_SAVED | (offset < PREFIX_INDEX_BACK ? STATE_INDEX_SAVED : 0);
}

int cache_lookup_pending(const struct cache *c, const struct translation *to, uint64_t pc)
{
	uint64_t offset = pc - arenas_piece(&c->arenas, pc);

	return to && offset >= PREFIX_TARGET_BACK + PREFIX_PENDING_BYTES ? to->pending : 0;
}

static uint64_t *entry_at(struct cache *c, uint64_t pc, bool counted)
{
	uint64_t *table = counted ? c->tables->counted : c->tables->targets;

	return &table[pc & (CONTEXT_TARGETS - 1)];
}

static uint64_t *entry_of(struct cache *c, const struct translation *to)
{
	return entry_at(c, to->pc, to->counted);
}

/* Returns true if pc is the start of a miss stub. */
static bool is_miss(const struct cache *c, uint64_t pc)
{
	return arenas_of(&c->arenas, pc)->miss.pc == pc;
}

/* Returns where a jump in the arena reaches the table's present entry, `other`. */
static uint64_t entry_for(const struct cache *c, struct arena *a, uint64_t other)
{
	struct assembler as;
	uint64_t pc = arena_next_pc(a);

	if (is_miss(c, other))
		return a->miss.pc;
	if (arenas_of(&c->arenas, other) == a)
		return other;
	arena_begin(a, &as);
	asm_jump(&as, other);
	return arena_keep(a, &as, CACHE_INDIRECT, NULL) ? pc : a->miss.pc;
}

static bool is_at(const struct assembler *as, ptrdiff_t offset)
{
	return as->full || as->at - as->start == offset;
}

static void begin_prefix(struct arena *a, struct assembler *as, const struct translation *to,
			 uint64_t other)
{
	arena_begin(a, as);
	compare_target(as, to->pc, other);
	give_back_index(as);
	assert(is_at(as, PREFIX_INDEX_BACK));
	give_back_target(as);
	assert(is_at(as, PREFIX_TARGET_BACK));
}

static bool add_prefix(struct arena *a, struct translation *to, uint64_t other)
{
	struct assembler as;

	begin_prefix(a, &as, to, other);
	if (to->pending)
		asm_subtract_gs(&as, CONTEXT_AT(remaining), -to->pending);
	assert(is_at(&as, PREFIX_TARGET_BACK + (to->pending ? PREFIX_PENDING_BYTES : 0)));
	asm_jump(&as, to->code);
	return arena_keep(a, &as, CACHE_INDIRECT, to);
}

void indirect_enter(struct cache *c, const struct translation *to)
{
	__atomic_store_n(entry_of(c, to), to->prefix, __ATOMIC_RELEASE);
}

uint64_t indirect_others(struct cache *c, struct arena *a, const struct plan *p)
{
	if (p->options.counted)
		indirect_begin_to_count(c);
	return entry_for(c, a, *entry_at(c, p->pc, p->options.counted));
}

bool indirect_add_before(struct arena *a, struct translation *to, uint64_t others)
{
	struct assembler as;

	to->prefix = arena_next_pc(a) + PREFIX_ENTRY;
	begin_prefix(a, &as, to, others);
	return arena_keep(a, &as, CACHE_INDIRECT, to);
}

struct prefix_states {
	unsigned n;
	struct state list[6];
};

static void mark(const struct assembler *as, struct prefix_states *states, unsigned flags)
{
	states->list[states->n++] = (struct state){
		.offset = (uint32_t)(as->at - as->start),
		.place = flags & STATE_TARGET_SAVED ? AT_REGISTER : AT_PATH,
		.flags = (uint16_t)(STATE_LEFT | flags),
	};
}

enum { RETURN_Q = 11, RETURN_BYTES = RECORD_HEADER + RECORD_SLOT * RECORD_RETURN_SLOTS };

/* Writes a prefix that records the return of a watched function. */
static void write_return_prefix(struct assembler *as, const struct translation *to, uint64_t other,
				struct prefix_states *states)
{
	enum { Q = RETURN_Q, SAVED = STATE_TARGET_SAVED | STATE_INDEX_SAVED };

	mark(as, states, SAVED);
	compare_target(as, to->pc, other);
	asm_store_gs(as, CONTEXT_AT(saved_q), Q);
	asm_load_gs(as, Q, CONTEXT_AT(record));
	mark(as, states, SAVED | STATE_Q_SAVED);
	asm_store(as, Q, record_slot(0), ISA_RSP, 8);
	asm_store(as, Q, record_slot(1), ISA_RAX, 8);
	asm_store(as, Q, record_slot(2), TARGET_REGISTER, 8);
	asm_store_constant(as, Q, 0, (int32_t)RECORD_RETURN);
	asm_lea(as, Q, Q, ISA_NO_REGISTER, 0, RETURN_BYTES);
	asm_store_gs(as, CONTEXT_AT(record), Q);
	mark(as, states, SAVED | STATE_Q_SAVED | STATE_UNDO);
	asm_load_gs(as, Q, CONTEXT_AT(saved_q));
	mark(as, states, SAVED | STATE_UNDO);
	give_back_index(as);
	mark(as, states, STATE_TARGET_SAVED | STATE_UNDO);
	give_back_target(as);
	mark(as, states, STATE_UNDO);
	asm_jump(as, to->code);
}

/* Adds a return prefix. The prefix has states, so it is a translation of its own. */
static bool add_return_prefix(struct cache *c, struct arena *a, struct translation *to,
			      uint64_t other)
{
	struct prefix_states states = { 0 };
	uint8_t packed[sizeof(states.list) / sizeof(*states.list) * STATE_MOST_BYTES];
	struct translation *t;
	size_t n_bytes;
	struct assembler as;

	arena_begin(a, &as);
	write_return_prefix(&as, to, other, &states);
	n_bytes = states_pack(states.list, states.n, packed);
	t = pool_alloc(&c->pool, sizeof(*t) + n_bytes);
	if (!t)
		return false;
	*t = (struct translation){ .pc = to->pc,
				   .code = as.pc,
				   .q = RETURN_Q,
				   .event_bytes = RETURN_BYTES,
				   .n_states = (uint16_t)states.n };
	t->states = (uint8_t *)(t + 1);
	memcpy(t->states, packed, n_bytes);
	if (!arena_keep(a, &as, CACHE_SUPERBLOCK, t))
		return false;
	return true;
}

void cache_link_indirect(struct cache *c, struct translation *to)
{
	struct arena *a = arenas_of(&c->arenas, to->code);
	uint64_t other, prefix;
	bool added;

	if (to->prefix)
		return;
	other = entry_for(c, a, *entry_of(c, to));
	prefix = arena_next_pc(a) + PREFIX_ENTRY;
	if (!to->counted && cache_watches_return(c, to->pc))
		added = add_return_prefix(c, a, to, other);
	else
		added = add_prefix(a, to, other);
	if (!added)
		return;
	to->prefix = prefix;
	indirect_enter(c, to);
}

void indirect_unlink(struct cache *c, struct translation *t)
{
	const uint64_t no_target = 1;

	if (!t->prefix)
		return;
	__atomic_store_n((uint64_t *)asm_literal_of(cache_local(c, t->prefix)), no_target,
			 __ATOMIC_RELEASE); /* the literal is aligned, so the store is atomic */
	t->prefix = 0;
}

/* ---- returns that are recorded, and returns that a superblock hides ---- */

void cache_watch_return(struct cache *c, uint64_t pc)
{
	struct translation *t = cache_find(c, pc, false);
	bool known = cache_watches_return(c, pc);

	c->tables->returns[pc & (CONTEXT_TARGETS - 1)] = pc;
	if (TABLE_PUT(c->returns, pc) && !known && t)
		indirect_unlink(c, t);
}

bool cache_watches_return(const struct cache *c, uint64_t pc)
{
	return TABLE_FIND(c->returns, pc);
}

bool cache_note_guard(struct cache *c, uint64_t pc)
{
	return TABLE_PUT(c->guards, pc);
}

bool cache_has_guard(const struct cache *c, uint64_t pc)
{
	return TABLE_FIND(c->guards, pc);
}
