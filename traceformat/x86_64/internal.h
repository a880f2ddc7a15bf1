/* SPDX-License-Identifier: MIT */
/* Declarations that the files of this folder share: one instruction as Zydis gives it. */
#ifndef X86_64_INTERNAL_H
#define X86_64_INTERNAL_H

#include <Zydis/Zydis.h>

#include "traceformat/traceisa.h"

struct decoded {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	enum isa_vendor vendor;
	bool branch16; /* a near branch that leaves 16 bits of rip */
};

/*
 * Decodes the instruction at code as current processors of the vendor do. Returns false if there
 * is none within the bytes available.
 */
bool decode_bytes(const uint8_t *code, size_t available, enum isa_vendor vendor,
		  struct decoded *decoded);

/* Changes what Zydis has decoded to the behavior of AMD's processors. */
void adapt_to_amd(struct decoded *decoded);

/* Returns where a relative branch at pc goes. */
uint64_t branch_target(const struct decoded *decoded, uint64_t pc);

/*
 * Returns true if the instruction has that legacy prefix, whether or not the prefix has a meaning.
 */
bool has_prefix(const struct decoded *decoded, uint8_t value);

/* Fills in insn->operands and n_operands, after its flags. pc: the instruction's address. */
void find_operands(const struct decoded *decoded, uint64_t pc, struct isa_insn *insn);

/* Fills in *effects for an instruction that is not opaque. */
void find_effects(const struct decoded *decoded, struct isa_effects *effects);

/* Returns true if the instruction's accesses cannot be expressed: TF_INSN_OPAQUE. */
bool is_opaque(const struct decoded *decoded);

enum isa_class classify(const struct decoded *decoded);

static inline bool has_category(const struct decoded *decoded, ZydisInstructionCategory category)
{
	return decoded->insn.meta.category == category;
}

static inline bool is_string(const struct decoded *decoded)
{
	return has_category(decoded, ZYDIS_CATEGORY_STRINGOP) ||
	       has_category(decoded, ZYDIS_CATEGORY_IOSTRINGOP);
}

#endif
