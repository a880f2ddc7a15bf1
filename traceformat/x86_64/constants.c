/* SPDX-License-Identifier: MIT */
/* isa_constants: where an instruction has displacements and immediates. */
#include "traceformat/x86_64/internal.h"

enum { BITS = 8, REGISTER_BITS = 0xf0 };

/* Returns true if the immediates decide what the instruction does to control or to the stack. */
static bool needs_immediates(const struct decoded *decoded)
{
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_ENTER:            /* the number of its accesses */
	case ZYDIS_MNEMONIC_INT:              /* 0x80 is a system call */
	case ZYDIS_MNEMONIC_RET: return true; /* how far rsp moves */
	default: return false;
	}
}

/* Returns true if the upper half of an immediate is the number of a register (is4). */
static bool has_register_in_immediate(const struct decoded *decoded)
{
	for (int i = 0; i < decoded->insn.operand_count; i++)
		if (decoded->operands[i].encoding == ZYDIS_OPERAND_ENCODING_IS4)
			return true;
	return false;
}

int isa_constants(const uint8_t *code, size_t available, enum isa_vendor vendor,
		  struct isa_constants *constants)
{
	struct decoded decoded;
	uint8_t kept;

	if (!decode_bytes(code, available, vendor, &decoded))
		return -1;
	*constants = (struct isa_constants){ 0 };
	if (decoded.insn.raw.disp.size)
		constants->at[constants->count++] = (struct isa_constant){
			decoded.insn.raw.disp.offset, decoded.insn.raw.disp.size / BITS, 0
		};
	kept = has_register_in_immediate(&decoded) ? REGISTER_BITS : 0;
	for (unsigned i = 0; i < 2 && !needs_immediates(&decoded); i++) {
		uint8_t size = decoded.insn.raw.imm[i].size / BITS;

		if (size && !decoded.insn.raw.imm[i].is_relative)
			constants->at[constants->count++] = (struct isa_constant){
				decoded.insn.raw.imm[i].offset, size, kept
			};
	}
	return 0;
}

void isa_clear_constant(const struct isa_constant *constant, uint8_t *code)
{
	for (unsigned i = 0; i < constant->size; i++)
		code[constant->offset + i] &= constant->kept;
}
