/* SPDX-License-Identifier: MIT */
#include "recorder/program/stepped_insns.h"

#include <string.h>

static bool accesses_tile(const struct isa_insn *fact)
{
	return fact->n_operands && fact->operands[0].address.mask_source == ISA_MASK_TILE;
}

/* Returns true for far transfers, the begin of a transaction, and 16-bit branches. */
static bool is_special(const struct isa_insn *fact, const struct isa_effects *e,
		       const uint8_t *code)
{
	enum {
		IRET = 0xcf,
		RETF_IMM = 0xca,
		RETF = 0xcb,
		GROUP_5 = 0xff,
		GROUP_11 = 0xc7,
		XBEGIN = 0xf8,
		OPERAND_SIZE = 0x66,
		FAR_CALL = 3,
		FAR_JMP = 5,
		REX_W = 0x48,
		REX_RXB = 7
	};
	const uint8_t *opcode = code + e->opcode;
	bool branch = fact->end != TF_END_NONE && fact->end != TF_END_SYSCALL;

	switch (*opcode) {
	case IRET:
	case RETF_IMM:
	case RETF: return true;
	case GROUP_5:
		if ((opcode[1] >> 3 & 7) == FAR_CALL || (opcode[1] >> 3 & 7) == FAR_JMP)
			return true;
		break;
	case GROUP_11:
		if (opcode[1] == XBEGIN)
			return true;
		break;
	}
	/* REX.W overrides the prefix, as in calls of __tls_get_addr. */
	return branch && memchr(code, OPERAND_SIZE, e->opcode) && (opcode[-1] & ~REX_RXB) != REX_W;
}

bool insn_is_stepped(const struct isa_insn *fact, const struct isa_effects *effects,
		     const uint8_t *code)
{
	return fact->flags & TF_INSN_OPAQUE || fact->end == TF_END_TRAP || accesses_tile(fact) ||
	       is_special(fact, effects, code);
}
