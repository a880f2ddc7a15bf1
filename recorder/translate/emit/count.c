/* SPDX-License-Identifier: MIT */
/*
 * Paths whose instructions are only counted: nothing is recorded, and whichever way a path is left,
 * all that it has executed is taken off a counter, one of context.remaining. If that makes it
 * negative, the path traps. Most paths have a place where the flags are about to be replaced. There
 * one subtraction counts the whole path. Exits before that, and those behind it by which it is not
 * executed whole, set that right, likewise where the flags are replaced behind them; elsewhere it
 * is done by registers, without touching the flags.
 */
#include "recorder/translate/emit/emitter.h"

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

/* The counter that is to be used next. */
static uint32_t counter(const struct emitter *e)
{
	return CONTEXT_AT(remaining) + 8 * (e->next_counter % CONTEXT_COUNTERS);
}

/* Counts the path's first n_insns instructions where the flags are dead. */
static void count(struct emitter *e, unsigned n_insns)
{
	asm_subtract_gs(&e->a, counter(e), (int32_t)n_insns - e->now.counted);
	e->next_counter++;
	counted(e, n_insns);
	trap_if_negative(e);
}

/* The last instruction of the path, from `first` on, before which the flags are dead; TF_NONE:
 * there is none. */
static unsigned find_dead_flags(const struct plan *p, unsigned first)
{
	for (unsigned i = p->n_insns; i-- > first; )
		if (p->insns[i].effects.replaces_flags)
			return i;
	return TF_NONE;
}

void emit_count_begin(struct emitter *e)
{
	e->next_counter = e->first_exit;
	if (e->plan->options.counted)
		e->count_at = find_dead_flags(e->plan, e->now.executed);
}

void emit_count_before(struct emitter *e, unsigned insn)
{
	if (insn == e->count_at)
		count(e, e->plan->n_insns);
}

/* The same by rcx, which is free, where they may be live. */
static void count_by_rcx(struct emitter *e, unsigned n_insns)
{
	uint8_t *enough;

	asm_load_gs(&e->a, ISA_RCX, counter(e));
	asm_lea(&e->a, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, e->now.counted - (int32_t)n_insns);
	asm_store_gs(&e->a, counter(e), ISA_RCX);
	counted(e, n_insns);
	asm_load_gs_half(&e->a, ISA_RCX, counter(e) + 4);
	e->next_counter++;
	enough = asm_jump_if_rcx_0(&e->a);
	emit_mark(e);
	asm_trap(&e->a, e->first_exit);
	asm_short_target(&e->a, enough);
}

void emit_count_exit(struct emitter *e, unsigned exit)
{
	const struct plan_exit *x = &e->plan->exits[exit];

	if (e->now.counted == x->n_insns)
		return;
	if (x->flags_dead) {
		count(e, x->n_insns);
		return;
	}
	emit_save_rcx(e);
	count_by_rcx(e, x->n_insns);
	emit_give_rcx(e);
}

void emit_count_indirect(struct emitter *e, unsigned exit)
{
	unsigned n_insns = e->plan->exits[exit].n_insns;

	if (e->now.counted == n_insns)
		return;
	count_by_rcx(e, n_insns);
}
