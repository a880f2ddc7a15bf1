/* SPDX-License-Identifier: MIT */
/*
 * Compares code that may change by a store with the code that was translated, each time before it
 * runs. The comparison sees every change, whether it was made by a store, by a system call or
 * through another mapping. The flags keep their values.
 */
#include <string.h>

#include "recorder/translate/emit/emitter.h"

/* Returns the width of the widest load of at most so many bytes. */
static unsigned width(unsigned bytes)
{
	return bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
}

/* Makes rcx 0 if the code is unchanged. Changes t. */
static bool compare(struct emitter *e, const uint8_t *code, uint64_t pc, unsigned bytes)
{
	uint64_t value = 0;

	memcpy(&value, code, bytes);
	if (!asm_load_near(&e->a, ISA_RCX, pc, bytes))
		return false;
	asm_load_constant(&e->a, e->t, -value);
	asm_lea(&e->a, ISA_RCX, ISA_RCX, e->t, 1, 0);
	return true;
}

/* Jumps to the check's trap unless rcx is 0, the first time by a jump ahead, then by a jump back to
 * that one. */
static void trap_unless_0(struct emitter *e, struct trap_behind *check, uint64_t *leads_there)
{
	uint8_t *same = asm_jump_if_rcx_0(&e->a);

	if (*leads_there) {
		asm_jump(&e->a, *leads_there);
	} else {
		*leads_there = asm_here(&e->a);
		check->field = asm_jump_ahead(&e->a);
	}
	asm_short_target(&e->a, same);
}

bool emit_code_check(struct emitter *e, const struct plan_insn *insn)
{
	struct trap_behind *check = &e->traps[e->n_traps++];
	unsigned bytes = width(insn->check);
	uint64_t leads_there = 0;

	emit_spill_t(e);
	e->now.place = AT_CHECK;
	emit_spill_rcx(e);
	check->state = e->now;
	for (unsigned at = 0; at < insn->check; at += bytes) {
		if (at + bytes > insn->check)
			at = insn->check - bytes; /* the last bytes are compared twice */
		if (!compare(e, insn->code + at, insn->pc + at, bytes))
			return false;
		trap_unless_0(e, check, &leads_there);
	}
	e->now.place = AT_INSN;
	emit_restore_rcx(e);
	return true;
}
