/* SPDX-License-Identifier: MIT */
/*
 * Counting variants record nothing. At every exit, the instructions executed, less the pending
 * count of the exit's target (pending_count.h), are subtracted from a counter, one of
 * context.remaining. A superblock that makes the counter negative traps. Where the flags are about
 * to be replaced, at an exit or in the superblock, the count is one subtraction; elsewhere it uses
 * registers and does not change the flags. A superblock without such exits mostly has such a place
 * inside. All of its instructions are counted there, and the exits that do not execute all of them
 * correct the count.
 *
 * Excluded superblocks and those that begin with a marker have counters of their own instead.
 *
 * With --vectors (core/intervals.h), each exit also increments a counter of its own, one of the
 * thread's table of counters (cache/space_cache.h). The table is the thread's, so the increment
 * needs no lock. Counters wrap around at 2^32; the recorder reads them before that.
 */
#include "recorder/translate/emit/emitter.h"

enum { JS = 8 };

/* Places the trap after the superblock, with the program's present state. */
static void trap_if_negative(struct emitter *e)
{
	struct trap_behind *trap = &e->traps[e->n_traps++];

	trap->state = e->now;
	trap->field = asm_jump_if(&e->a, JS);
}

static void counted(struct emitter *e, int n_insns)
{
	e->now.counted = (int16_t)n_insns;
	emit_mark(e);
}

/* Returns the offset of the next counter to use. */
static uint32_t counter(const struct emitter *e)
{
	if (e->plan->options.excluded)
		return CONTEXT_AT(remaining_excluded);
	if (e->plan->options.marker)
		return CONTEXT_AT(remaining_marker) + 8 * (e->plan->options.marker - 1);
	return CONTEXT_AT(remaining) + 8 * (e->next_counter % CONTEXT_COUNTERS);
}

/* Raises the number of counted instructions to n_insns, where the flags are dead. */
static void count(struct emitter *e, int n_insns)
{
	int32_t difference = n_insns - e->now.counted;

	asm_subtract_gs(&e->a, counter(e), difference);
	e->next_counter++;
	counted(e, n_insns);
	if (difference > 0)
		trap_if_negative(e);
}

/* Returns the last instruction from `first` on before which the flags are dead, or TF_NONE. */
static unsigned find_dead_flags(const struct plan *p, unsigned first)
{
	for (unsigned i = p->n_insns; i-- > first;)
		if (p->insns[i].effects.replaces_flags)
			return i;
	return TF_NONE;
}

/* Returns true if all exits at the superblock's end can count it. */
static bool is_left_to_exits(const struct plan *p)
{
	for (unsigned i = p->n_exits; i-- > 0 && p->exits[i].n_insns == p->n_insns;)
		if (!p->exits[i].flags_dead)
			return false;
	return !p->options.call_stub;
}

void emit_count_begin(struct emitter *e)
{
	const struct plan *p = e->plan;

	e->next_counter = e->first_exit;
	if (!p->options.counted)
		return;
	for (unsigned i = 0; i < p->n_exits; i++) {
		e->pending[i].chosen = p->exits[i].pending;
		e->pending[i].open = p->exits[i].open;
	}
	if (!p->options.bounded && !is_left_to_exits(p))
		e->count_at = find_dead_flags(p, e->now.executed);
}

void emit_count_before(struct emitter *e, unsigned insn)
{
	if (insn == e->count_at)
		count(e, (int)e->plan->n_insns);
}

/* Raises the count as count() does, but by rcx, which is free, where the flags may be live. */
static void count_by_rcx(struct emitter *e, int n_insns)
{
	uint8_t *enough;

	asm_load_gs(&e->a, ISA_RCX, counter(e));
	asm_lea(&e->a, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, e->now.counted - n_insns);
	asm_store_gs(&e->a, counter(e), ISA_RCX);
	counted(e, n_insns);
	asm_load_gs_half(&e->a, ISA_RCX, counter(e) + 4);
	e->next_counter++;
	enough = asm_jump_if_rcx_0(&e->a);
	emit_mark(e);
	asm_trap(&e->a, e->first_exit);
	asm_short_target(&e->a, enough);
}

/* Returns the offset of the exit's counter, or 0 if exits have none. */
static uint32_t exit_counter(const struct emitter *e, unsigned exit)
{
	uint32_t first = e->plan->options.exit_counters;

	return first ? first + 4 * (e->first_exit + exit) : 0;
}

/* Increments the exit's counter, where the flags are dead. */
static void count_exit(struct emitter *e, unsigned exit)
{
	if (!exit_counter(e, exit))
		return;
	asm_increment_gs(&e->a, exit_counter(e, exit));
	emit_set(e, STATE_EXIT_COUNTED);
}

/* Increments the exit's counter as count_exit() does, but by rcx, which is free. */
static void count_exit_by_rcx(struct emitter *e, unsigned exit)
{
	uint32_t at = exit_counter(e, exit);

	if (!at)
		return;
	asm_load_gs_half(&e->a, ISA_RCX, at);
	asm_lea(&e->a, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, 1);
	asm_store_gs_half(&e->a, at, ISA_RCX);
	emit_set(e, STATE_EXIT_COUNTED);
}

/* Chooses the pending count of the exit's target, for all exits to that target. */
static void choose_pending(struct emitter *e, unsigned exit, int pending)
{
	const struct plan_exit *exits = e->plan->exits;

	if (pending < 0 || pending > COUNT_MOST_PENDING)
		pending = 0;
	for (unsigned i = 0; i < e->plan->n_exits; i++)
		if (exits[i].target == exits[exit].target) {
			e->pending[i].chosen = (int16_t)pending;
			e->pending[i].open = false;
		}
}

void emit_count_exit(struct emitter *e, unsigned exit)
{
	const struct plan_exit *x = &e->plan->exits[exit];
	int counted_there;

	if (e->pending[exit].open)
		choose_pending(e, exit, x->n_insns - e->now.counted);
	counted_there = x->n_insns - e->pending[exit].chosen;
	if (x->flags_dead) {
		count_exit(e, exit);
		if (e->now.counted != counted_there)
			count(e, counted_there);
		return;
	}
	if (e->now.counted == counted_there && !exit_counter(e, exit))
		return;
	emit_spill_rcx(e);
	count_exit_by_rcx(e, exit);
	if (e->now.counted != counted_there)
		count_by_rcx(e, counted_there);
	emit_restore_rcx(e);
}

void emit_count_indirect(struct emitter *e, unsigned exit)
{
	int n_insns = e->plan->exits[exit].n_insns;

	count_exit_by_rcx(e, exit);
	if (e->now.counted != n_insns)
		count_by_rcx(e, n_insns);
}

void emit_count_without_flags(struct emitter *e, unsigned exit)
{
	int n_insns = e->plan->exits[exit].n_insns;

	if (e->now.counted != n_insns)
		count(e, n_insns);
}
