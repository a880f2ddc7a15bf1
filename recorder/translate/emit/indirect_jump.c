/* SPDX-License-Identifier: MIT */
/* Writes indirect jumps, calls and returns. The superblock continues after them with a guard, or is
 * left through the table of targets. The flags keep their values. */
#include <string.h>

#include "recorder/translate/emit/emitter.h"

/* Returns the number of bytes that a return removes from the stack. */
static int32_t released(const struct plan_insn *insn)
{
	enum { RET_IMM = 0xc2 };
	const uint8_t *opcode = insn->code + insn->effects.opcode;

	return *opcode == RET_IMM ? 8 + (opcode[1] | opcode[2] << 8) : 8;
}

bool emit_with_operand(struct emitter *e, const struct plan_insn *insn,
		       const struct operand_use *use)
{
	enum { REX = 0x40, REX_W = 8, REX_R = 4, REG = 7 << 3, FS = 0x64, ADDRESS_SIZE = 0x67 };
	const struct isa_effects *f = &insn->effects;
	unsigned length = insn->fact->length, n = 0, rex = REX, field = 0;
	uint8_t code[2 * TF_MAX_INSN_BYTES];

	for (unsigned i = 0; i < f->opcode; i++) {
		if ((insn->code[i] & 0xf0) == REX)
			rex |= insn->code[i] & ~(unsigned)(REX_R | REX_W);
		else if (insn->code[i] == FS || insn->code[i] == ADDRESS_SIZE)
			code[n++] = insn->code[i];
	}
	code[n++] = (uint8_t)(rex | (use->wide ? REX_W : 0u) | (use->reg & 8 ? REX_R : 0u));
	code[n++] = (uint8_t)use->opcode;
	if (f->rip_field)
		field = n + f->rip_field - f->modrm;
	memcpy(code + n, insn->code + f->modrm, length - f->modrm);
	code[n] = (uint8_t)((code[n] & ~(unsigned)REG) | (use->reg & 7) << 3);
	n += length - f->modrm;
	if (use->immediate_bytes)
		memcpy(code + n, use->immediate, use->immediate_bytes);
	n += use->immediate_bytes;
	if (field)
		return asm_moved(&e->a, code, n, field, emit_insn_target(insn) + use->from);
	asm_bytes(&e->a, code, n);
	return true;
}

/* mov reg, the operand of an indirect jump or call */
static bool load_target(struct emitter *e, const struct plan_insn *insn, unsigned reg)
{
	enum { MOV_LOAD = 0x8b };

	return emit_with_operand(e, insn,
				 &(struct operand_use){
					 .opcode = MOV_LOAD, .reg = reg, .wide = true });
}

static void save_target_register(struct emitter *e)
{
	asm_store_gs(&e->a, CONTEXT_AT(saved_target), TARGET_REGISTER);
	emit_set(e, STATE_TARGET_SAVED);
}

/* Spills the program's rcx before rcx gets the target. */
static void free_rcx(struct emitter *e, const struct plan_insn *insn)
{
	if (e->plan->options.counted && !(insn->effects.reads >> e->t & 1))
		emit_spill_rcx_to_t(e);
	else
		emit_spill_rcx(e);
}

/* Loads the return address. A counting variant, which records nothing of it, pops it. */
static void take_return(struct emitter *e, unsigned reg)
{
	if (!e->plan->options.counted) {
		asm_load(&e->a, reg, ISA_RSP, 0);
		return;
	}
	asm_pop(&e->a, reg);
	e->now.rsp -= 8;
	emit_mark(e);
}

bool emit_load_target(struct emitter *e, const struct plan_insn *insn, unsigned reg)
{
	bool returns = insn->fact->end == TF_END_RETURN;

	if (!returns)
		emit_restore_used(e, insn);
	if (reg == ISA_RCX)
		free_rcx(e, insn);
	else
		save_target_register(e);
	if (!returns)
		return load_target(e, insn, reg);
	take_return(e, reg);
	return true;
}

/* Writes the exit after the target has been loaded. */
static void indirect_exit(struct emitter *e, unsigned exit, int32_t released_bytes)
{
	bool counted = e->plan->options.counted;
	int32_t rsp_after = e->now.rsp + released_bytes;

	emit_end_record(e, exit);
	e->now.executed = e->plan->exits[exit].n_insns;
	e->now.place = AT_REGISTER;
	e->now.flags &= (uint16_t)~STATE_UNDO;
	e->now.rsp = rsp_after;
	emit_set(e, STATE_LEFT);
	emit_restore_q(e);
	emit_restore_t(e);
	if (rsp_after)
		asm_lea(&e->a, ISA_RSP, ISA_RSP, ISA_NO_REGISTER, 0, rsp_after);
	e->now.rsp = 0;
	emit_mark(e);
	asm_store_gs(&e->a, CONTEXT_AT(saved_index), INDEX_REGISTER);
	asm_move(&e->a, INDEX_REGISTER, ISA_RCX);
	emit_set(e, STATE_INDEX_SAVED);
	if (counted)
		emit_count_indirect(e, exit);
	asm_zero_extend_16(&e->a, ISA_RCX, TARGET_REGISTER);
	asm_jump_table(&e->a, ISA_RCX, counted ? TABLES_AT(counted) : TABLES_AT(targets));
}

void emit_leave_indirectly(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	emit_mark(e);
	if (e->plan->options.counted)
		asm_store_gs_constant(&e->a, CONTEXT_AT(left_by), (int32_t)(e->first_exit + exit));
	if (insn->fact->end == TF_END_INDIRECT_CALL) {
		asm_push_literal(&e->a, emit_behind(insn));
		/* The call has executed, as its operand may be overwritten now. */
		emit_at_exit(e, &e->now, exit);
		e->now.place = AT_REGISTER;
		emit_mark(e);
	}
	indirect_exit(e, exit, insn->fact->end == TF_END_RETURN ? released(insn) : 0);
}

unsigned emit_target_register(const struct plan_insn *insn)
{
	enum { REX = 0x40, REX_B = 1, REGISTER = 3 };
	const struct isa_effects *f = &insn->effects;
	unsigned number = insn->code[f->modrm] & 7;

	if (insn->fact->end == TF_END_RETURN || insn->code[f->modrm] >> 6 != REGISTER)
		return ISA_NO_REGISTER;
	for (unsigned i = 0; i < f->opcode; i++)
		if ((insn->code[i] & 0xf0) == REX && insn->code[i] & REX_B)
			number |= 8;
	return number;
}

/* Returns a free register besides rcx. In a counting variant t may have the program's rcx, and q is
 * not used. */
static unsigned take_temporary(struct emitter *e)
{
	if (e->plan->options.counted) {
		emit_spill_q(e);
		return e->q;
	}
	emit_spill_t(e);
	return e->t;
}

/* rcx += constant */
static void add_to_rcx(struct emitter *e, uint64_t constant)
{
	unsigned temporary;

	if (constant == (uint64_t)(int32_t)constant) {
		asm_lea(&e->a, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, (int32_t)constant);
		return;
	}
	temporary = take_temporary(e);
	asm_load_literal(&e->a, temporary, constant);
	asm_lea(&e->a, ISA_RCX, ISA_RCX, temporary, 1, 0);
}

void emit_as_expected(struct emitter *e, const struct plan_insn *insn)
{
	int32_t rsp_after = e->now.rsp;

	if (insn->fact->end == TF_END_INDIRECT_CALL)
		asm_push_literal(&e->a, emit_behind(insn));
	else if (insn->fact->end == TF_END_RETURN)
		rsp_after += released(insn);
	if (rsp_after)
		asm_lea(&e->a, ISA_RSP, ISA_RSP, ISA_NO_REGISTER, 0, rsp_after);
	e->now.rsp = 0;
	e->now.executed++;
	e->now.flags &= (uint16_t)~STATE_UNDO;
	emit_mark(e);
}

/* Continues if rcx, the target's difference from the expected one, is 0. */
static void guard(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	struct side *side = &e->sides[e->n_sides++];
	uint8_t *expected = asm_jump_if_rcx_0(&e->a);

	*side = (struct side){ .exit = exit, .state = e->now, .indirect = insn };
	side->fields[0] = asm_jump_ahead(&e->a);
	asm_short_target(&e->a, expected);
	if (!emit_has(e, STATE_RCX_IN_T))
		emit_restore_rcx(e);
	emit_as_expected(e, insn);
}

bool emit_guard(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	unsigned target = emit_target_register(insn);

	if (emit_can_compare(e, insn))
		return emit_comparison(e, insn, exit);
	if (target == ISA_NO_REGISTER || target == ISA_RCX) {
		if (!emit_load_target(e, insn, ISA_RCX))
			return false;
		add_to_rcx(e, -insn->guard);
	} else {
		emit_restore_used(e, insn);
		free_rcx(e, insn);
		asm_load_literal(&e->a, ISA_RCX, -insn->guard);
		asm_lea(&e->a, ISA_RCX, target, ISA_RCX, 1, 0);
	}
	guard(e, insn, exit);
	return true;
}

void emit_leave_guard(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	emit_record_side_exit(e, exit, insn, insn->guard);
	save_target_register(e);
	asm_load_literal(&e->a, TARGET_REGISTER, insn->guard);
	asm_lea(&e->a, TARGET_REGISTER, TARGET_REGISTER, ISA_RCX, 1, 0);
	emit_restore_rcx(e);
	emit_leave_indirectly(e, insn, exit);
}

bool emit_guard_again(struct emitter *e, const struct plan_insn *insn, unsigned exit)
{
	const struct plan_start *start = &e->plan->start;

	if (start->flags & STATE_FLAGS_LOST)
		return emit_comparison_again(e, insn, exit);
	if (start->flags & STATE_TARGET_SAVED) {
		free_rcx(e, insn);
		asm_move(&e->a, ISA_RCX, TARGET_REGISTER);
		asm_load_gs(&e->a, TARGET_REGISTER, CONTEXT_AT(saved_target));
		emit_clear(e, STATE_TARGET_SAVED);
	}
	add_to_rcx(e, start->guard - insn->guard);
	guard(e, insn, exit);
	return true;
}
