/* SPDX-License-Identifier: MIT */
/*
 * How control gets from an indirect jump to a translation: the jump goes through the table of
 * targets to a prefix, which compares the whole target and hands on to the next prefix if it is
 * another one. The last of them leads to the trap of misses.
 */
#include <stdlib.h>

#include "recorder/translate/cache/cache_parts.h"

static void clear(const struct cache *c, uint64_t targets[CONTEXT_TARGETS])
{
	for (unsigned i = 0; i < CONTEXT_TARGETS; i++)
		targets[i] = c->arenas.list[0]->miss;
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

/* Compares the target with pc. If it is another one, control goes to `other`. rcx is saved already,
 * but kept in a register here, which programs that wait for it have sooner. */
static void compare_target(struct assembler *as, uint64_t pc, uint64_t other)
{
	uint8_t *found;

	asm_load_literal(as, INDEX_REGISTER, -pc);
	asm_lea(as, INDEX_REGISTER, INDEX_REGISTER, TARGET_REGISTER, 1, 0);
	asm_exchange(as, ISA_RCX, INDEX_REGISTER);
	found = asm_jump_if_rcx_0(as);
	asm_move(as, ISA_RCX, INDEX_REGISTER);
	asm_jump(as, other);
	asm_short_target(as, found);
	asm_move(as, ISA_RCX, INDEX_REGISTER);
}

static void give_back(struct assembler *as)
{
	asm_load_gs(as, TARGET_REGISTER, CONTEXT_AT(saved_target));
	asm_load_gs(as, INDEX_REGISTER, CONTEXT_AT(saved_index));
}

static uint64_t *entry_of(struct cache *c, const struct translation *to)
{
	uint64_t *table = to->counted ? c->tables->counted : c->tables->targets;

	return &table[to->pc & (CONTEXT_TARGETS - 1)];
}

static bool add_prefix(struct cache *c, struct arena *a, struct translation *to)
{
	struct assembler as;

	arena_begin(a, &as);
	compare_target(&as, to->pc, *entry_of(c, to));
	give_back(&as);
	asm_jump(&as, to->code);
	return arena_keep(a, &as, CACHE_INDIRECT, to);
}

struct prefix_states {
	unsigned n;
	struct state list[4];
};

static void mark(const struct assembler *as, struct prefix_states *states, unsigned flags)
{
	states->list[states->n++] = (struct state){
		.offset = (uint32_t)(as->at - as->start), .place = AT_TARGET,
		.flags = (uint16_t)(STATE_LEFT | STATE_RCX_SAVED | STATE_TARGET_SAVED |
				    STATE_INDEX_SAVED | flags),
	};
}

enum { RETURN_Q = 11, RETURN_BYTES = RECORD_HEADER + RECORD_SLOT * RECORD_RETURN_SLOTS };

/* A prefix for returns of watched functions: writes the record. */
static void write_return_prefix(struct assembler *as, const struct translation *to, uint64_t other,
				struct prefix_states *states)
{
	enum { Q = RETURN_Q };

	mark(as, states, 0);
	compare_target(as, to->pc, other);
	asm_store_gs(as, CONTEXT_AT(saved_q), Q);
	asm_load_gs(as, Q, CONTEXT_AT(record));
	mark(as, states, STATE_Q_SAVED);
	asm_store(as, Q, record_slot(0), ISA_RSP, 8);
	asm_store(as, Q, record_slot(1), ISA_RAX, 8);
	asm_store(as, Q, record_slot(2), TARGET_REGISTER, 8);
	asm_store_constant(as, Q, 0, (int32_t)RECORD_RETURN);
	asm_lea(as, Q, Q, ISA_NO_REGISTER, 0, RETURN_BYTES);
	asm_store_gs(as, CONTEXT_AT(record), Q);
	mark(as, states, STATE_Q_SAVED | STATE_UNDO);
	asm_load_gs(as, Q, CONTEXT_AT(saved_q));
	mark(as, states, STATE_UNDO);
	give_back(as);
	asm_jump(as, to->code);
}

/* Its states make it a translation. */
static bool add_return_prefix(struct cache *c, struct arena *a, struct translation *to)
{
	struct prefix_states states = { 0 };
	struct translation *t;
	struct assembler as;

	arena_begin(a, &as);
	write_return_prefix(&as, to, *entry_of(c, to), &states);
	t = calloc(1, sizeof(*t) + states_pack(states.list, states.n, NULL));
	if (!t)
		return false;
	*t = (struct translation){ .pc = to->pc, .code = as.pc, .q = RETURN_Q,
				   .event_bytes = RETURN_BYTES, .n_states = states.n };
	t->states = (uint8_t *)(t + 1);
	states_pack(states.list, states.n, t->states);
	if (!arena_keep(a, &as, CACHE_PATH, t)) {
		translation_free(t);
		return false;
	}
	to->returned = t;
	return true;
}

void cache_link_indirect(struct cache *c, struct translation *to)
{
	struct arena *a = arenas_of(&c->arenas, to->code);
	uint64_t prefix = arena_next_pc(a);
	bool added;

	if (to->prefix)
		return;
	if (!to->counted && cache_watches_return(c, to->pc))
		added = add_return_prefix(c, a, to);
	else
		added = add_prefix(c, a, to);
	if (!added)
		return;
	to->prefix = prefix;
	__atomic_store_n(entry_of(c, to), prefix, __ATOMIC_RELEASE);
}

void indirect_unlink(struct cache *c, struct translation *t)
{
	const uint64_t no_target = 1;

	if (!t->prefix)
		return;
	__atomic_store_n((uint64_t *)asm_literal_of(cache_local(c, t->prefix)), no_target,
			 __ATOMIC_RELEASE);	/* literals are aligned */
	t->prefix = 0;
}

/* ---- returns that are told, and those that a path hides ---- */

void cache_watch_return(struct cache *c, uint64_t pc)
{
	struct translation *t = cache_find(c, pc, false);
	bool known = cache_watches_return(c, pc);

	c->tables->returns[pc & (CONTEXT_TARGETS - 1)] = pc;
	if (pc_set_add(&c->returns, pc) && !known && t)
		indirect_unlink(c, t);
}

bool cache_watches_return(const struct cache *c, uint64_t pc)
{
	return pc_set_has(&c->returns, pc);
}

bool cache_note_guard(struct cache *c, uint64_t pc)
{
	return pc_set_add(&c->guards, pc);
}

bool cache_has_guard(const struct cache *c, uint64_t pc)
{
	return pc_set_has(&c->guards, pc);
}
