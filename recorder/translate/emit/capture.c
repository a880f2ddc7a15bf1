/* SPDX-License-Identifier: MIT */
/* Writes the slots of a record: register values, and other numbers that recipes need. q points at
 * the record. */
#include "recorder/translate/emit/emitter.h"

static void capture_register(struct emitter *e, unsigned reg, int32_t at)
{
	unsigned from = reg;

	emit_spill_q(e);
	if (reg == e->q) {
		emit_spill_t(e);
		asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_q));
		from = e->t;
	} else if (reg == e->t && emit_has(e, STATE_T_SAVED)) {
		asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_t));
	}
	asm_store(&e->a, e->q, at, from, 8);
}

/* Stores t as a slot. */
static void store_t(struct emitter *e, const struct capture *c)
{
	emit_spill_q(e);
	asm_store(&e->a, e->q, record_slot(c->place), e->t, 8);
}

/*
 * Makes the registers of base + index * scale hold the program's values, and t free for the result.
 */
static void compute(struct emitter *e, const struct capture *c)
{
	bool uses_q = c->base == e->q || c->index == e->q;
	bool uses_t = c->base == e->t || c->index == e->t;

	if (uses_q)
		emit_restore_q(e);
	if (uses_t && emit_has(e, STATE_T_SAVED))
		asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_t));
	emit_spill_t(e);
}

static void capture_sum(struct emitter *e, const struct capture *c)
{
	if (c->index == ISA_NO_REGISTER) {
		capture_register(e, c->base, record_slot(c->place));
		return;
	}
	compute(e, c);
	asm_lea(&e->a, e->t, c->base, c->index, c->scale, 0);
	store_t(e, c);
}

static void capture_part(struct emitter *e, const struct capture *c)
{
	unsigned from = c->base;

	if (c->size == 64) {
		capture_register(e, c->base, record_slot(c->place));
		return;
	}
	if (from == e->t && emit_has(e, STATE_T_SAVED))
		asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_t));
	emit_spill_t(e);
	if (from == e->q && emit_has(e, STATE_Q_SAVED)) {
		asm_load_gs(&e->a, e->t, CONTEXT_AT(saved_q));
		from = e->t;
	}
	if (c->size == 8)
		asm_zero_extend_8(&e->a, e->t, from);
	else if (c->size == 16)
		asm_sign_extend_16(&e->a, e->t, from);
	else
		asm_sign_extend_32(&e->a, e->t, from);
	store_t(e, c);
}

static void capture_signs(struct emitter *e, const struct capture *c)
{
	emit_spill_t(e);
	asm_signs(&e->a, e->t, c->base, c->size, c->bytes);
	store_t(e, c);
}

static void capture_repetitions(struct emitter *e, const struct capture *c)
{
	emit_spill_q(e);
	emit_spill_t(e);
	emit_spill_rcx(e);
	asm_not(&e->a, ISA_RCX);
	asm_load(&e->a, e->t, e->q, record_slot(c->count_place));
	asm_lea(&e->a, e->t, e->t, ISA_RCX, 1, 1);
	store_t(e, c);
	emit_restore_rcx(e);
}

static void capture_rep_flags(struct emitter *e, const struct capture *c)
{
	emit_spill_q(e);
	emit_spill_t(e);
	asm_load_constant(&e->a, e->t, 0);
	asm_set_zero_flag(&e->a, e->t);
	asm_load_gs_entry(&e->a, e->t, e->t, CONTEXT_AT(rep_flags));
	store_t(e, c);
}

static void capture(struct emitter *e, const struct capture *c)
{
	int32_t at = record_slot(c->place);

	switch ((enum capture_kind)c->kind) {
	case CAPTURE_SUM: capture_sum(e, c); break;
	case CAPTURE_PART: capture_part(e, c); break;
	case CAPTURE_SIGNS: capture_signs(e, c); break;
	case CAPTURE_VECTOR:
		emit_spill_q(e);
		asm_store_vector(&e->a, e->q, at, c->base, 8u * c->n_places);
		break;
	case CAPTURE_MASK:
		emit_spill_q(e);
		asm_store_mask(&e->a, e->q, at, c->base, c->size);
		break;
	case CAPTURE_COMPONENTS:
		emit_spill_q(e);
		asm_store(&e->a, e->q, at, ISA_RAX, 4);
		asm_store(&e->a, e->q, at + 4, ISA_RDX, 4);
		break;
	case CAPTURE_REPETITIONS: capture_repetitions(e, c); break;
	case CAPTURE_REP_FLAGS: capture_rep_flags(e, c); break;
	case CAPTURE_GS_BASE:
		emit_spill_t(e);
		asm_load_gs(&e->a, e->t, CONTEXT_AT(gs_base));
		store_t(e, c);
		break;
	case CAPTURE_FS_BASE:
		emit_spill_t(e);
		asm_read_fs_base(&e->a, e->t);
		store_t(e, c);
		break;
	case CAPTURE_MMX:
		emit_spill_q(e);
		asm_store_mmx(&e->a, e->q, at, c->base);
		break;
	case CAPTURE_MMX_SIGNS:
		emit_spill_t(e);
		asm_signs_mmx(&e->a, e->t, c->base);
		store_t(e, c);
		break;
	case CAPTURE_X87_CONTROL:
		emit_spill_q(e);
		asm_store_x87_control(&e->a, e->q, at);
		break;
	case CAPTURE_MXCSR:
		emit_spill_q(e);
		asm_store_mxcsr(&e->a, e->q, at);
		break;
	}
}

void emit_captures(struct emitter *e, const struct plan_insn *insn, bool after)
{
	const struct capture *c = &e->plan->numbering.captures[insn->first_capture];

	for (unsigned i = 0; i < insn->n_before + insn->n_after; i++)
		if (c[i].after == after)
			capture(e, &c[i]);
}

/* ---- calls of watched functions ---- */

/*
 * Traps unless the address in t, the program's return address, is one whose returns are recorded.
 */
static void check_return(struct emitter *e)
{
	uint8_t *known;

	emit_spill_rcx(e);
	asm_zero_extend_16(&e->a, ISA_RCX, e->t);
	asm_load_gs_entry(&e->a, ISA_RCX, ISA_RCX, TABLES_AT(returns));
	asm_not(&e->a, e->t);
	asm_lea(&e->a, ISA_RCX, ISA_RCX, e->t, 1, 1);
	known = asm_jump_if_rcx_0(&e->a);
	e->call_trap = asm_here(&e->a);
	asm_trap(&e->a, e->first_exit);
	asm_short_target(&e->a, known);
	emit_restore_rcx(e);
}

int32_t emit_call_bytes(const struct plan *p)
{
	return record_slot(RECORD_CALL_SLOTS + p->options.n_args);
}

void emit_call_record(struct emitter *e)
{
	static const uint8_t args[TF_MAX_CALL_ARGS] = { ISA_RDI, ISA_RSI, ISA_RDX, ISA_RCX, 8, 9 };
	const struct plan *p = e->plan;

	for (unsigned i = 0; i < p->options.n_args; i++)
		capture_register(e, args[i], record_slot(RECORD_CALL_SLOTS + i));
	emit_spill_q(e);
	asm_store(&e->a, e->q, record_slot(0), ISA_RSP, 8);
	emit_spill_t(e);
	asm_load(&e->a, e->t, ISA_RSP, 0);
	asm_store(&e->a, e->q, record_slot(1), e->t, 8);
	asm_store_constant(&e->a, e->q, 0, (int32_t)(RECORD_CALL + p->options.function));
	asm_lea(&e->a, e->q, e->q, ISA_NO_REGISTER, 0, emit_call_bytes(p));
	asm_store_gs(&e->a, CONTEXT_AT(record), e->q);
	emit_set(e, STATE_UNDO);
	check_return(e);
}
