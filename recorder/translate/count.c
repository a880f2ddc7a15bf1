/* SPDX-License-Identifier: MIT */
/*
 * Paths whose instructions are only counted: nothing is recorded, and whichever way a path is left,
 * all that it has executed is taken off context.remaining. A path that makes that negative traps.
 * Most paths have a place in their last block where the flags are about to be replaced. There one
 * subtraction does it; elsewhere it is done without touching the flags, and looked at only where the
 * program may come back to: where it jumps backward or to an unknown place, which is no return.
 */
#include "recorder/translate/emitter.h"

enum { JS = 8 };

/* The trap is placed behind the path, where the program's state is as it is here. */
static void trap_if_negative(struct emitter *e)
{
	struct trap_behind *trap = &e->traps[e->n_traps++];

	trap->state = e->now;
	trap->field = asm_jump_if(&e->a, JS);
}

static void counted(struct emitter *e, unsigned n_insns)
{
	e->now.counted = (uint16_t)n_insns;
	emit_mark(e);
}

/* The last instruction of the path's last block before which the flags are dead; TF_NONE: there is
 * none. */
static unsigned find_dead_flags(const struct plan *p)
{
	unsigned first = p->n_insns - p->blocks[p->n_blocks - 1]->trace.n_insns;

	for (unsigned i = p->n_insns; i-- > first; )
		if (p->insns[i].effects.replaces_flags)
			return i;
	return TF_NONE;
}

void emit_count_begin(struct emitter *e)
{
	e->count_at = e->plan->options.counted ? find_dead_flags(e->plan) : TF_NONE;
}

void emit_count_before(struct emitter *e, unsigned insn)
{
	if (insn != e->count_at)
		return;
	asm_subtract_gs(&e->a, CONTEXT_AT(remaining), e->plan->n_insns);
	counted(e, e->plan->n_insns);
	trap_if_negative(e);
}

/* By a register that is free, the program's value set aside. */
static void count_by(struct emitter *e, unsigned reg, unsigned n_insns)
{
	asm_load_gs(&e->a, reg, CONTEXT_AT(remaining));
	asm_lea(&e->a, reg, reg, ISA_NO_REGISTER, 0, -(int32_t)n_insns);
	asm_store_gs(&e->a, CONTEXT_AT(remaining), reg);
	counted(e, n_insns);
}

/* rcx is free. */
static void trap_if_negative_by_rcx(struct emitter *e)
{
	uint8_t *enough;

	asm_load_gs_half(&e->a, ISA_RCX, CONTEXT_AT(remaining) + 4);
	enough = asm_jump_if_rcx_0(&e->a);
	emit_mark(e);
	asm_trap(&e->a, e->first_exit);
	asm_short_target(&e->a, enough);
}

void emit_count_exit(struct emitter *e, unsigned exit)
{
	const struct plan_exit *x = &e->plan->exits[exit];

	if (e->now.counted)
		return;
	if (x->flags_dead) {
		asm_subtract_gs(&e->a, CONTEXT_AT(remaining), x->n_insns);
		counted(e, x->n_insns);
		trap_if_negative(e);
		return;
	}
	asm_store_gs(&e->a, CONTEXT_AT(saved_rcx), ISA_RCX);
	emit_set(e, STATE_RCX_SAVED);
	count_by(e, ISA_RCX, x->n_insns);
	if (x->target <= e->plan->insns[x->n_insns - 1].pc)
		trap_if_negative_by_rcx(e);
	asm_load_gs(&e->a, ISA_RCX, CONTEXT_AT(saved_rcx));
	emit_clear(e, STATE_RCX_SAVED);
}

void emit_count_indirect(struct emitter *e, unsigned exit, bool is_return)
{
	if (e->now.counted)
		return;
	count_by(e, ISA_RAX, e->plan->exits[exit].n_insns);
	if (is_return)
		return;
	trap_if_negative_by_rcx(e);
	asm_load_gs(&e->a, ISA_RCX, CONTEXT_AT(target));
}
