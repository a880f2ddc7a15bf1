/* SPDX-License-Identifier: MIT */
/* Links translations to their known targets by changing jumps. */
#include <string.h>

#include "recorder/translate/cache/cache_parts.h"

/* Writes a jump in this arena to a translation that is too far away for a direct jump. Returns its
 * cache pc, or 0 if there is no room. */
static uint64_t bridge(struct arena *a, struct translation *to)
{
	struct assembler as;
	uint64_t pc = arena_next_pc(a);

	arena_begin(a, &as);
	asm_jump(&as, to->code);
	return arena_keep(a, &as, CACHE_BRIDGE, to) ? pc : 0;
}

/* Returns where a jump in the arena reaches the translation, or 0 if there is no room. */
static uint64_t entry_for(const struct cache *c, struct arena *a, struct translation *to)
{
	return a == arenas_of(&c->arenas, to->code) ? to->code : bridge(a, to);
}

static void write_jump(struct arena *a, uint64_t pc, uint64_t target)
{
	struct assembler as;

	asm_begin(&as, arena_local(a, pc), ASM_JUMP_BYTES, pc);
	asm_jump(&as, target);
}

void links_write_jump(struct cache *c, uint64_t pc, const struct translation *to)
{
	write_jump(arenas_of(&c->arenas, pc), pc, to->code);
}

/*
 * Turns a trap into a jump while other threads may run into it. As long as the first byte is the
 * trap's, the bytes after it are not executed. All bytes are in one cache line (asm_patchable()),
 * so no thread fetches a new first byte with old others. In an existing jump, four bytes in an
 * aligned word change.
 */
static void become_jump(uint8_t *at, uint64_t pc, uint64_t target)
{
	struct assembler as;
	uint8_t jump[ASM_JUMP_BYTES];

	if (!asm_is_trap(at)) {
		asm_jump_change(at, pc, target);
		return;
	}
	asm_begin(&as, jump, sizeof(jump), pc);
	asm_jump(&as, target);
	memcpy(at + 1, jump + 1, sizeof(jump) - 1);
	__atomic_store_n(at, jump[0], __ATOMIC_RELEASE);
}

void cache_link_at(struct cache *c, uint64_t trap, struct translation *to)
{
	struct arena *a = arenas_of(&c->arenas, trap);
	uint64_t target = entry_for(c, a, to);

	if (target)
		become_jump(arena_local(a, trap), trap, target);
}

/* Returns whether the exit may be linked to the translation. A loop does not enter another
 * superblock's middle: it gets a superblock of its own, which counts several iterations at once. */
static bool may_lead(const struct translation *t, unsigned exit, const struct translation *to)
{
	return !to->inside || !translation_leads_back(t, exit);
}

void links_add(struct cache *c, const struct translation *t)
{
	for (unsigned i = 0; i < t->n_exits; i++) {
		const struct translation_exit *e = &t->exits[i];
		struct translation *to;

		if (!e->jump || !e->target || e->syscall)
			continue;
		exit_table_list(&c->exits, t->first_exit + i,
				&pc_table_at(&c->pcs, e->target)->exits);
		to = cache_find(c, e->target, t->counted);
		if (to && may_lead(t, i, to))
			cache_link_at(c, e->jump, to);
	}
}

/* Returns true if only exits that still trap may be linked. Exits to an older version of checked
 * code keep their link, as the older version leads to this one. Exits to a place inside a
 * superblock keep theirs, because other threads may be on their way. */
static bool only_traps(const struct cache *c, const struct translation *to)
{
	const struct translation *t = cache_first(c, to->pc);

	while (t && !t->inside)
		t = t->next;
	return to->checked || (to->counted && t);
}

/* Returns whether an exit should be linked to the translation. A jump that has become an
 * extension's is not changed. */
static bool is_to_lead(struct cache_exit e, const struct translation *to)
{
	const struct translation_exit *exit = &e.translation->exits[e.exit];

	return e.translation->counted == to->counted && may_lead(e.translation, e.exit, to) &&
	       !(exit->extended && exit->side_exit.pc == exit->jump);
}

void cache_link(struct cache *c, struct translation *t)
{
	const struct pc_entry *at = pc_table_find(&c->pcs, t->pc);
	bool traps = only_traps(c, t);
	struct cache_exit e;

	for (uint32_t next = at ? at->exits : 0; next; next = e.next) {
		uint64_t jump;

		e = cache_exit(c, next - 1);
		jump = e.translation->exits[e.exit].jump;
		if (is_to_lead(e, t) && (!traps || asm_is_open(cache_local(c, jump))))
			cache_link_at(c, jump, t);
	}
}

/* Returns true if a jump written at `code` would overwrite no part of another exit's jump. */
static bool has_room(const struct cache *c, uint64_t code)
{
	struct translation *t;

	if (cache_where(c, code, &t) != CACHE_SUPERBLOCK)
		return false;
	for (unsigned i = 0; i < t->n_exits; i++)
		if ((t->exits[i].jump != code && t->exits[i].jump - code < ASM_JUMP_BYTES) ||
		    (t->exits[i].side_exit.pc != code &&
		     t->exits[i].side_exit.pc - code < ASM_JUMP_BYTES))
			return false;
	return true;
}

bool cache_replace(struct cache *c, struct translation *old, struct translation *with,
		   uint64_t stopped)
{
	struct arena *a = arenas_of(&c->arenas, old->code);
	uint64_t target = entry_for(c, a, with);

	if (!target || !has_room(c, old->code) || stopped - old->code < ASM_JUMP_BYTES)
		return false;
	write_jump(a, old->code, target);
	old->status = TRANSLATION_REPLACED;
	if (old->prefix) {
		indirect_unlink(c, old);
		cache_link_indirect(c, with);
	}
	return true;
}
