/* SPDX-License-Identifier: MIT */
#include "recorder/translate/emit/emitter.h"

void emit_mark(struct emitter *e)
{
	uint32_t offset = (uint32_t)(e->a.at - e->a.start);

	if (e->n_states && e->states[e->n_states - 1].offset == offset)
		e->n_states--;
	if (e->n_states == MAX_STATES) {
		e->a.full = true;
		return;
	}
	e->now.offset = offset;
	e->states[e->n_states++] = e->now;
}

void emit_set(struct emitter *e, unsigned flags)
{
	e->now.flags |= (uint16_t)flags;
	emit_mark(e);
}

void emit_clear(struct emitter *e, unsigned flags)
{
	e->now.flags &= (uint16_t)~flags;
	emit_mark(e);
}

void emit_traps_behind(struct emitter *e)
{
	for (unsigned i = 0; i < e->n_traps; i++) {
		asm_target(&e->a, e->traps[i].field);
		e->now = e->traps[i].state;
		emit_mark(e);
		asm_trap(&e->a, e->first_exit);
	}
}

/* ---- the two scratch registers ---- */

void emit_spill_q(struct emitter *e)
{
	if (emit_has(e, STATE_Q_SAVED))
		return;
	asm_store_gs(&e->a, CONTEXT_AT(saved_q), e->q);
	if (!e->plan->options.counted)
		asm_load_gs(&e->a, e->q, CONTEXT_AT(record));
	emit_set(e, STATE_Q_SAVED);
}

void emit_restore_q(struct emitter *e)
{
	if (!emit_has(e, STATE_Q_SAVED))
		return;
	asm_load_gs(&e->a, e->q, CONTEXT_AT(saved_q));
	emit_clear(e, STATE_Q_SAVED);
}

void emit_spill_t(struct emitter *e)
{
	if (emit_has(e, STATE_RCX_IN_T))
		emit_restore_rcx(e);
	if (emit_has(e, STATE_T_SAVED))
		return;
	asm_store_gs(&e->a, CONTEXT_AT(saved_t), e->t);
	emit_set(e, STATE_T_SAVED);
}

void emit_restore_t(struct emitter *e)
{
	if (emit_has(e, STATE_RCX_IN_T))
		emit_restore_rcx(e);
	if (!emit_has(e, STATE_T_SAVED))
		return;
	asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_t));
	emit_clear(e, STATE_T_SAVED);
}

void emit_spill_rcx(struct emitter *e)
{
	if (emit_has(e, STATE_RCX_IN_T))
		return;
	asm_store_gs(&e->a, CONTEXT_AT(saved_rcx), ISA_RCX);
	emit_set(e, STATE_RCX_SAVED);
}

void emit_spill_rcx_to_t(struct emitter *e)
{
	if (emit_has(e, STATE_RCX_IN_T))
		return;
	emit_spill_t(e);
	asm_move(&e->a, e->t, ISA_RCX);
	emit_set(e, STATE_RCX_IN_T);
}

void emit_restore_rcx(struct emitter *e)
{
	if (emit_has(e, STATE_RCX_IN_T)) {
		asm_move(&e->a, ISA_RCX, e->t);
		emit_clear(e, STATE_RCX_IN_T);
		return;
	}
	asm_load_gs(&e->a, ISA_RCX, CONTEXT_AT(saved_rcx));
	emit_clear(e, STATE_RCX_SAVED);
}

void emit_restore_used(struct emitter *e, const struct plan_insn *insn)
{
	unsigned reads = insn->effects.reads, uses = reads | insn->effects.writes;

	if (emit_has(e, STATE_RCX_IN_T) && (reads >> ISA_RCX & 1 || uses >> e->t & 1))
		emit_restore_rcx(e);
	if (reads >> e->q & 1)
		emit_restore_q(e);
	if (reads >> e->t & 1)
		emit_restore_t(e);
}

void emit_overwrite(struct emitter *e, const struct plan_insn *insn)
{
	unsigned overwritten = insn->effects.writes & ~(unsigned)insn->effects.reads;
	unsigned flags = 0;

	if (overwritten >> ISA_RCX & 1)
		flags |= STATE_RCX_IN_T;
	if (overwritten >> e->q & 1)
		flags |= STATE_Q_SAVED;
	if (overwritten >> e->t & 1)
		flags |= STATE_T_SAVED;
	e->now.flags &= (uint16_t)~flags;
}

void emit_choose_scratch(struct emitter *e)
{
	static const uint8_t candidates[] = { 11, 10, ISA_RDI, ISA_RSI, 15,
					      14, 13, 12,      ISA_RBX, ISA_RBP };
	unsigned uses[16] = { 0 };

	for (unsigned i = 0; i < e->plan->n_insns; i++) {
		const struct isa_effects *f = &e->plan->insns[i].effects;

		for (unsigned used = f->reads | f->writes; used; used &= used - 1)
			uses[__builtin_ctz(used)]++;
	}
	e->q = candidates[0];
	for (unsigned i = 1; i < sizeof(candidates); i++)
		if (uses[candidates[i]] < uses[e->q])
			e->q = candidates[i];
	e->t = e->q == candidates[0] ? candidates[1] : candidates[0];
	for (unsigned i = 0; i < sizeof(candidates); i++)
		if (candidates[i] != e->q && uses[candidates[i]] < uses[e->t])
			e->t = candidates[i];
}
