/* SPDX-License-Identifier: MIT */
/* The vendor of the processor, and the differences of AMD's processors from Intel's. */
#include "traceformat/x86_64/internal.h"

#include <cpuid.h>
#include <string.h>

enum { OPERAND_SIZE = 0x66 };

enum isa_vendor isa_vendor_of(const char *id)
{
	return id && (!strcmp(id, "AuthenticAMD") || !strcmp(id, "HygonGenuine")) ? ISA_AMD
										  : ISA_INTEL;
}

enum isa_vendor isa_vendor_here(void)
{
	uint32_t highest, id[4] = { 0 };

	__get_cpuid(0, &highest, &id[0], &id[2], &id[1]);
	return isa_vendor_of((const char *)id);
}

bool has_prefix(const struct decoded *decoded, uint8_t value)
{
	for (int i = 0; i < decoded->insn.raw.prefix_count; i++)
		if (decoded->insn.raw.prefixes[i].value == value)
			return true;
	return false;
}

static bool is_near_branch(const struct decoded *decoded)
{
	return decoded->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT ||
	       decoded->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR;
}

/* Sets the size of the memory operands among the first `count` operands. */
static void set_memory_size(struct decoded *decoded, int count, uint16_t bits)
{
	for (int i = 0; i < count; i++)
		if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			decoded->operands[i].size = bits;
}

static void narrow_branch(struct decoded *decoded)
{
	ZydisDecodedOperand *target = &decoded->operands[0];

	decoded->branch16 = true;
	decoded->insn.operand_width = 16;
	set_memory_size(decoded, decoded->insn.operand_count, 16);
	if (target->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    target->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
		target->reg.value = ZydisRegisterEncode(ZYDIS_REGCLASS_GPR16,
							ZydisRegisterGetId(target->reg.value));
		target->size = 16;
	}
}

static bool has_far_pointer(const struct decoded *decoded)
{
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_LFS:
	case ZYDIS_MNEMONIC_LGS:
	case ZYDIS_MNEMONIC_LSS: return true;
	case ZYDIS_MNEMONIC_CALL:
	case ZYDIS_MNEMONIC_JMP: return decoded->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
	default: return false;
	}
}

/*
 * On AMD, an operand-size prefix makes near branches 16-bit: their offsets, return addresses and
 * the resulting rip. REX.W cancels the prefix. Zydis models only the offsets. (AMD64 Architecture
 * Programmer's Manual 3, "Near Branches in 64-Bit Mode"; the far pointers: LFS, CALL Far, JMP Far.)
 */
void adapt_to_amd(struct decoded *decoded)
{
	bool wide = decoded->insn.raw.rex.W;

	if (wide && has_far_pointer(decoded)) /* what a far call pushes keeps 64 bits */
		set_memory_size(decoded, decoded->insn.operand_count_visible, 16 + 32);
	if (!wide && is_near_branch(decoded) && has_prefix(decoded, OPERAND_SIZE))
		narrow_branch(decoded);
}

uint64_t branch_target(const struct decoded *decoded, uint64_t pc)
{
	uint64_t target = pc + decoded->insn.length + decoded->insn.raw.imm[0].value.u;

	return decoded->branch16 ? (uint16_t)target : target;
}
