/* SPDX-License-Identifier: MIT */
/*
 * Writes guards that are simple comparisons, in counting variants. A comparison changes the flags,
 * so it is used where the flags are replaced after the jump before anything reads them, and can be
 * recomputed where the guard fails.
 */
#include "recorder/translate/emit/emitter.h"

enum { NOT_EQUAL = 5 };

/* Returns true if the flags are replaced after instruction number `insn`, before the superblock
 * reads them. Jumps with unknown targets count as reading them. */
static bool flags_are_dead(const struct plan *p, unsigned insn)
{
	for (unsigned i = insn + 1; i < p->n_insns; i++) {
		const struct plan_insn *next = &p->insns[i];

		if (next->effects.reads_flags || next->guard)
			return false;
		if (next->effects.replaces_flags)
			return true;
	}
	for (unsigned i = p->n_exits; i-- > 0 && p->exits[i].n_insns == p->n_insns;)
		if (!p->exits[i].flags_dead)
			return false;
	return true;
}

/* ---- the expected target ---- */

static bool is_whole(uint64_t expected)
{
	return expected == (uint64_t)(int32_t)expected;
}

/* Writes cmp with the operand of an indirect jump or call, from its byte `from` on. */
static bool compare_operand(struct emitter *e, const struct plan_insn *insn, unsigned from,
			    int32_t value, unsigned bytes)
{
	enum { GROUP_1 = 0x81, CMP = 7 };

	return emit_with_operand(e, insn,
				 &(struct operand_use){ .opcode = GROUP_1,
							.reg = CMP,
							.wide = bytes == 8,
							.from = from,
							.immediate = &value,
							.immediate_bytes = sizeof(value) });
}

/* Compares half of the target, or all of it, with the expected one. */
static bool compare(struct emitter *e, const struct plan_insn *insn, unsigned half)
{
	unsigned target = emit_target_register(insn), bytes = is_whole(insn->guard) ? 8 : 4;
	int32_t value = (int32_t)(insn->guard >> 32 * half);

	if (insn->fact->end == TF_END_RETURN)
		asm_compare(&e->a, ISA_RSP, e->now.rsp + 4 * (int32_t)half, value, bytes);
	else if (target != ISA_NO_REGISTER)
		asm_compare_register(&e->a, target, insn->guard);
	else
		return compare_operand(e, insn, 4 * half, value, bytes);
	return true;
}

/* Returns how many comparisons the target takes, or 0 if it cannot be compared. An operand in
 * memory may take two; its upper half can be addressed only on the stack or relative to rip. */
static unsigned comparisons(const struct plan_insn *insn)
{
	bool returns = insn->fact->end == TF_END_RETURN;

	if (is_whole(insn->guard) || (!returns && emit_target_register(insn) != ISA_NO_REGISTER))
		return 1;
	return returns || insn->effects.rip_field ? 2 : 0;
}

/* Continues if the target is the expected one. The flags are lost from here on. */
static bool go_on_if_equal(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	struct side *side = &e->sides[e->n_sides++];
	unsigned n = comparisons(insn);

	e->now.flags |= STATE_FLAGS_LOST;
	e->now.exit = (uint8_t)e->n_sources++;
	*side = (struct side){ .exit = exit, .state = e->now, .indirect = insn };
	for (unsigned i = 0; i < n; i++) {
		if (!compare(e, insn, i))
			return false;
		emit_mark(e);
		side->fields[i] = asm_jump_if(&e->a, NOT_EQUAL);
	}
	e->now.flags &= (uint16_t)~STATE_FLAGS_LOST;
	e->now.exit = 0;
	emit_as_expected(e, insn);
	return true;
}

static unsigned number_of(const struct emitter *e, const struct plan_insn *insn)
{
	return (unsigned)(insn - e->plan->insns);
}

static bool find_source(struct emitter *e, const struct plan_insn *insn)
{
	return flag_source_find(e->plan, e->entered, number_of(e, insn), TARGET_REGISTER,
				&e->sources[e->n_sources]);
}

bool emit_can_compare(struct emitter *e, const struct plan_insn *insn)
{
	return e->plan->options.counted && !e->plan->checked && comparisons(insn) &&
	       flags_are_dead(e->plan, number_of(e, insn)) && find_source(e, insn);
}

bool emit_comparison(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	emit_restore_used(e, insn);
	return go_on_if_equal(e, insn, exit);
}

/* ---- other targets ---- */

static void make_flags(struct emitter *e, const struct flag_source *s, unsigned by)
{
	asm_lea(&e->a, by, s->a, s->times > 0 ? s->b : ISA_NO_REGISTER, 1, s->displacement);
	if (s->times < 0)
		asm_subtract(&e->a, by, s->b);
	switch ((enum flag_operation)s->operation) {
	case FLAGS_ADD: asm_add_flags(&e->a, by, s->b, s->immediate, s->bytes); break;
	case FLAGS_SUBTRACT: asm_subtract_flags(&e->a, by, s->b, s->immediate, s->bytes); break;
	case FLAGS_AND: asm_and_flags(&e->a, by, s->b, s->immediate, s->bytes); break;
	}
}

static void make_flags_again(struct emitter *e)
{
	asm_store_gs(&e->a, CONTEXT_AT(saved_target), TARGET_REGISTER);
	emit_set(e, STATE_TARGET_SAVED);
	make_flags(e, &e->sources[e->now.exit], TARGET_REGISTER);
	e->now.exit = 0;
	emit_clear(e, STATE_FLAGS_LOST);
	asm_load_gs(&e->a, TARGET_REGISTER, CONTEXT_AT(saved_target));
	emit_clear(e, STATE_TARGET_SAVED);
}

bool emit_leave_comparison(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	emit_restore_q(e);
	emit_restore_t(e);
	emit_record_side_exit(e, exit, insn, 0);
	emit_count_without_flags(e, exit);
	make_flags_again(e);
	if (!emit_load_target(e, insn, TARGET_REGISTER))
		return false;
	emit_leave_indirectly(e, insn, exit);
	return true;
}

bool emit_comparison_again(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	if (find_source(e, insn))
		e->n_sources++;
	if (emit_can_compare(e, insn))
		return go_on_if_equal(e, insn, exit);
	make_flags_again(e);
	return emit_guard(e, insn, exit);
}
