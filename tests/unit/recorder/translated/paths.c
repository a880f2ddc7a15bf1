/* SPDX-License-Identifier: MIT */
/* Chooses the superblocks that are put into the cache, at random, so that guards fail. */
#include <check.h>

#include "recorder/translate/plan/static_prediction.h"
#include "tests/unit/recorder/translated/box.h"

/* Returns where the native run continued after the instruction at pc. */
static uint64_t successor(uint64_t pc)
{
	for (unsigned i = box.at; i + 1 < box.n; i++)
		if (box.native[i].regs.rip == pc && box.native[i + 1].regs.rip != pc)
			return box.native[i + 1].regs.rip;
	return 0;
}

static bool goes_on_at(struct plan *p, uint64_t pc)
{
	struct code_block *b = pc ? block_at_pc(pc) : NULL;

	if (!b || p->n_blocks >= BLOCKS || !plan_fits(p, b) ||
	    !plan_leads_to(p->blocks[p->n_blocks - 1], pc) || code_args(pc) != NO_FUNCTION ||
	    cache_watches_return(box.thread.cache, pc))
		return false;
	plan_go_on(p, pc);
	if (p->insns[p->n_insns - 1].guard) {
		cache_note_guard(box.thread.cache, pc);
		count.guards++;
	}
	plan_add(p, b);
	return true;
}

static void begin_plan(struct plan *p, uint64_t pc, bool bounded)
{
	unsigned n_args = code_args(pc);
	bool told = n_args != NO_FUNCTION && !box.counted;

	ck_assert_ptr_nonnull(block_at_pc(pc));
	plan_begin(p, pc,
		   &(struct plan_options){ .no_addresses = box.options.no_addresses,
					   .self_check = box.options.self_check,
					   .counted = box.counted,
					   .hot = !box.counted && pick(2),
					   .entered = box.counted && !bounded && pick(2),
					   .bounded = bounded,
					   .function = told ? FUNCTION : TF_NONE,
					   .n_args = told ? n_args : 0 });
	plan_add(p, block_at_pc(pc));
}

/* Returns true if a block replaces the flags before it reads them. */
static bool replaces_flags(const struct code_block *b)
{
	unsigned i = 0;

	while (i < b->trace.n_insns && b->effects[i] && !b->effects[i]->reads_flags &&
	       !b->effects[i]->replaces_flags)
		i++;
	return i < b->trace.n_insns && b->effects[i] && b->effects[i]->replaces_flags;
}

static void find_dead_flags(struct plan *p)
{
	for (unsigned i = 0; i < p->n_exits; i++) {
		const struct code_block *b = block_at_pc(p->exits[i].target);

		p->exits[i].flags_dead = b && replaces_flags(b);
	}
}

/* Chooses the blocks that may be entered: any block where the flags are dead. */
static void choose_enterable(struct plan *p)
{
	for (unsigned i = 1; i < p->n_blocks; i++)
		if (replaces_flags(p->blocks[i]))
			p->enterable |= UINT32_C(1) << i;
}

static void end_plan(struct plan *p)
{
	unsigned most = p->n_blocks + pick(BLOCKS);
	uint64_t next;

	do {
		next = pick(8)   ? successor(p->insns[p->n_insns - 1].pc)
		       : pick(2) ? plan_next(p)
				 : random_code_target();
	} while (p->n_blocks < most && goes_on_at(p, next));
	plan_end(p);
	if (box.counted)
		find_dead_flags(p);
}

static void check_states(const struct translation *t)
{
	struct state state = { 0 };
	const uint8_t *packed = states_next(t->states, &state);

	for (unsigned i = 1; i < t->n_states; i++) {
		uint32_t before = state.offset;

		packed = states_next(packed, &state);
		ck_assert_uint_lt(before, state.offset);
		ck_assert_uint_le(state.offset, t->size);
		ck_assert_uint_eq(translation_state(t, state.offset).offset, state.offset);
		ck_assert_uint_eq(translation_state(t, state.offset - 1).offset, before);
	}
}

/* Checks that each entry has room for a jump, and nothing spilled. */
static void check_entries(const struct translation *t)
{
	uint32_t before = 0;

	for (unsigned i = 0; i < t->n_entries; i++) {
		const struct entry *entry = &t->entries[i];
		struct state state = translation_state(t, entry->offset);

		ck_assert_uint_ge(entry->offset - before, ASM_JUMP_BYTES);
		ck_assert_uint_eq(state.flags, 0);
		ck_assert_int_eq(state.rsp, 0);
		ck_assert_uint_eq(translation_pc(t, state.executed), entry->pc);
		ck_assert_int_eq(state.executed - state.counted, entry->pending);
		before = entry->offset;
	}
}

static struct translation *add(uint64_t pc, bool bounded)
{
	static struct plan p;
	struct translation *t;
	unsigned insn;

	begin_plan(&p, pc, bounded);
	end_plan(&p);
	if (box.counted && !bounded && pick(4))
		choose_enterable(&p);
	ck_assert_int_eq(cache_add(box.thread.cache, &box.task, &p, &t, &insn), CACHE_ADDED);
	check_states(t);
	check_entries(t);
	count.entries += t->n_entries;
	return t;
}

struct translation *add_superblock(uint64_t pc)
{
	return add(pc, false);
}

void extend(struct translation *superblock, unsigned exit, uint64_t pc)
{
	static struct plan p;
	struct translation *extension;
	unsigned insn;

	begin_plan(&p, superblock->pc, false);
	p.options.entered = false;
	for (unsigned i = 1; i < superblock->exits[exit].trace.n_blocks; i++)
		if (!goes_on_at(&p, superblock->blocks[i]->trace.pc))
			return;
	if (!superblock->exits[exit].side_exit.pc || !goes_on_at(&p, pc))
		return;
	end_plan(&p);
	ck_assert_int_eq(cache_extend(box.thread.cache, &box.task, &p, superblock, exit, &extension,
				      &insn),
			 CACHE_ADDED);
	count.extended++;
}

void extend_some(void)
{
	uint32_t n = cache_exits(box.thread.cache);
	struct cache_exit e = cache_exit(box.thread.cache, n ? pick(n) : 0);
	const struct translation_exit *exit;

	if (!n || e.translation->bounded || e.translation->n_entries)
		return;
	exit = &e.translation->exits[e.exit];
	if (!exit->target && exit->side_exit.pc)
		extend(e.translation, e.exit,
		       successor(translation_pc(e.translation, exit->n_insns - 1u)));
}

struct translation *path_to(uint64_t pc)
{
	struct translation *t = cache_find(box.thread.cache, pc, box.counted);

	return t ? t : add_superblock(pc);
}

struct translation *bounded_superblock_to(uint64_t pc)
{
	struct translation *t = cache_find_bounded(box.thread.cache, pc);

	return t ? t : add(pc, true);
}

int exit_at(uint64_t pc, struct translation **superblock)
{
	const struct request_stub *stub = cache_request_stub(box.thread.cache, pc);
	struct cache_exit left;

	if (stub && request_stub_traps(stub, pc)) {
		left = cache_exit(box.thread.cache, (uint32_t)box.thread.context->request_exit);
		box.task.regs.rcx = box.thread.context->saved_rcx;
		*superblock = left.translation;
		return (int)left.exit;
	}
	if (cache_where(box.thread.cache, pc, superblock) != CACHE_SUPERBLOCK)
		return -1;
	for (unsigned i = 0; i < (*superblock)->n_exits; i++)
		if ((*superblock)->exits[i].jump == pc &&
		    asm_is_trap(cache_local(box.thread.cache, pc)))
			return (int)i;
	return -1;
}

void begin_requests(void)
{
	box.thread.context->request = REQUEST_NONE;
	box.thread.context->polled = pick(4) == 0;
}

void answer_some(uint64_t program_pc)
{
	struct context *c = box.thread.context;
	struct translation *t;

	if (c->request == REQUEST_NONE || pick(8))
		return;
	if (pick(8) == 0) {
		c->polled = 0;
		return;
	}
	t = path_to(program_pc);
	if (c->request == REQUEST_MISS) {
		ck_assert_uint_eq(c->missed, program_pc);
		cache_link_indirect(box.thread.cache, t);
	}
	c->answer = c->request == REQUEST_MISS ? t->prefix : t->code;
	c->request = REQUEST_NONE;
	count.answers++;
}
