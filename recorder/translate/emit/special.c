/* SPDX-License-Identifier: MIT */
/*
 * An instruction through gs runs with the program's base in the register. Two registers that the
 * instruction does not use are spilled before, as nothing can be spilled through gs during that
 * time.
 *
 * popf runs here unless its image sets the trap flag. The direction flag may be set, because the
 * recorder's code has no string instructions; the context keeps the flag for the records of the
 * program's. With the alignment check flag, only comparisons of code may fault.
 */
#include "recorder/translate/emit/special.h"

#include "recorder/translate/emit/emitter.h"

enum { POPF = 0x9d, CLD = 0xfc, STD = 0xfd };
enum { TRAP_BYTE = 1 }; /* of an image of the flags */

static bool is_opcode(const struct plan_insn *insn, uint8_t opcode)
{
	return insn->code[insn->effects.opcode] == opcode && !insn->effects.modrm;
}

bool emit_is_special(const struct plan_insn *insn)
{
	return insn->effects.uses_gs || is_opcode(insn, CLD) || is_opcode(insn, STD);
}

void special_enter(struct context *c, uint64_t context_at, const struct user_regs_struct *r)
{
	enum { DIRECTION_FLAG = 0x400 };

	c->rep_flags[0] = r->eflags & DIRECTION_FLAG ? TF_REP_DOWN : 0;
	c->rep_flags[1] = c->rep_flags[0] | TF_REP_ZF;
	c->gs_base = r->gs_base;
	c->self = context_at;
}

/* ---- gs ---- */

void gs_scratch(const struct isa_effects *effects, unsigned *a, unsigned *b)
{
	unsigned used = effects->reads | effects->writes | 1u << ISA_RSP, free = 0xffff & ~used;

	*a = 31u - (unsigned)__builtin_clz(free);
	free &= ~(1u << *a);
	*b = 31u - (unsigned)__builtin_clz(free);
}

static void take_gs_away(struct emitter *e, const struct plan_insn *insn)
{
	unsigned a, b;

	gs_scratch(&insn->effects, &a, &b);
	asm_store_gs(&e->a, CONTEXT_AT(saved_a), a);
	asm_store_gs(&e->a, CONTEXT_AT(saved_b), b);
	emit_set(e, STATE_GS_AWAY);
	asm_load_gs(&e->a, a, CONTEXT_AT(self));
	asm_load_gs(&e->a, b, CONTEXT_AT(gs_base));
	asm_write_gs_base(&e->a, b);
}

static void take_gs_back(struct emitter *e, const struct plan_insn *insn)
{
	unsigned a, b;

	gs_scratch(&insn->effects, &a, &b);
	asm_read_gs_base(&e->a, b);
	emit_set(e, STATE_GS_IN_B);
	asm_write_gs_base(&e->a, a);
	asm_store_gs(&e->a, CONTEXT_AT(gs_base), b);
	emit_clear(e, STATE_GS_IN_B);
	asm_load_gs(&e->a, a, CONTEXT_AT(saved_a));
	asm_load_gs(&e->a, b, CONTEXT_AT(saved_b));
	emit_clear(e, STATE_GS_AWAY);
}

/* ---- flags ---- */

static void keep_direction(struct emitter *e, unsigned flags)
{
	asm_store_gs_constant(&e->a, CONTEXT_AT(rep_flags), (int32_t)flags);
	asm_store_gs_constant(&e->a, CONTEXT_AT(rep_flags) + 8, (int32_t)(flags | TF_REP_ZF));
}

/* Leaves the superblock for a step if the image has the trap flag. Leaves the byte of the trap and
 * direction flags in t, and changes rcx. */
static void check_trap_flag(struct emitter *e)
{
	struct trap_behind *trap = &e->traps[e->n_traps++];
	uint8_t *clear;

	asm_load_zero_extended(&e->a, e->t, ISA_RSP, e->now.rsp + TRAP_BYTE, 1);
	asm_load_gs_byte(&e->a, ISA_RCX, e->t, TABLES_AT(trap_flag));
	trap->state = e->now;
	trap->state.place = AT_STEP;
	clear = asm_jump_if_rcx_0(&e->a);
	trap->field = asm_jump_ahead(&e->a);
	asm_short_target(&e->a, clear);
}

/* Checks the image on the stack. The first load faults where the instruction would fault. */
static void check_image(struct emitter *e, const struct plan_insn *insn)
{
	bool word = insn->fact->operands[0].trace.size == 2;

	emit_spill_t(e);
	emit_spill_rcx(e);
	if (word)
		asm_load_zero_extended(&e->a, e->t, ISA_RSP, e->now.rsp, 2);
	else
		asm_load(&e->a, e->t, ISA_RSP, e->now.rsp);
	check_trap_flag(e);
	asm_load_gs_byte(&e->a, ISA_RCX, e->t, TABLES_AT(direction));
	asm_store_gs(&e->a, CONTEXT_AT(rep_flags), ISA_RCX);
	asm_lea(&e->a, ISA_RCX, ISA_RCX, ISA_NO_REGISTER, 0, TF_REP_ZF);
	asm_store_gs(&e->a, CONTEXT_AT(rep_flags) + 8, ISA_RCX);
	emit_restore_rcx(e);
}

/* ---- both ---- */

void emit_special_before(struct emitter *e, const struct plan_insn *insn)
{
	if (insn->effects.uses_gs)
		take_gs_away(e, insn);
	else if (is_opcode(insn, POPF))
		check_image(e, insn);
}

void emit_special_after(struct emitter *e, const struct plan_insn *insn)
{
	if (insn->effects.uses_gs)
		take_gs_back(e, insn);
	else
		keep_direction(e, is_opcode(insn, STD) ? TF_REP_DOWN : 0);
}
