/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/kinds.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)TF_MAX_KIND_REGISTERS == (int)ISA_MAX_FACT_REGISTERS, "all registers fit");

/* ---- the facts as they are --------------------------------------------------------------- */

static uint32_t flags_of(const struct isa_facts *facts, const struct isa_effects *effects)
{
	return (facts->conditional ? TF_KIND_CONDITIONAL : 0u) |
	       (facts->register_transfer ? TF_KIND_REGISTER_TRANSFER : 0u) |
	       (effects->reads_flags ? TF_KIND_READS_FLAGS : 0u) |
	       (effects->writes_flags ? TF_KIND_WRITES_FLAGS : 0u) |
	       (effects->replaces_flags ? TF_KIND_REPLACES_FLAGS : 0u) |
	       (effects->uses_gs ? TF_KIND_USES_GS : 0u);
}

static bool read_facts(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
		       struct made_kind *made)
{
	struct isa_insn insn = { .insn_class = ISA_CLASS_OPAQUE };
	struct isa_effects effects = { 0 };
	struct isa_facts facts;
	bool decodes = isa_block_facts(block, i, vendor, &facts) == 0;

	isa_block_insn(block, i, vendor, &insn);
	isa_block_effects(block, i, vendor, &effects);
	made->kind = (struct tf_insn_kind){
		.category = facts.category,
		.iclass = made->iclass,
		.mnemonic = made->mnemonic,
		.flags = flags_of(&facts, &effects),
		.traits = isa_block_traits(block, i),
		.insn_class = insn.insn_class,
		.n_register_operands = facts.n_register_operands,
		.n_reads = facts.n_reads,
		.n_writes = facts.n_writes,
		.general_reads = effects.reads,
		.general_writes = effects.writes,
	};
	memcpy(made->kind.reads, facts.reads, facts.n_reads);
	memcpy(made->kind.writes, facts.writes, facts.n_writes);
	snprintf(made->iclass, sizeof(made->iclass), "%s", facts.iclass);
	isa_block_mnemonic(block, i, vendor, made->mnemonic, sizeof(made->mnemonic));
	return decodes;
}

/* ---- register dependences ---------------------------------------------------------------- */

/* The class that stands for several, and a category of XED that it may have. */
static const struct {
	uint8_t insn_class;
	const char *category;
} folded[ISA_N_CLASSES] = {
	[ISA_CLASS_MOVE] = { ISA_CLASS_MOVE, "DATAXFER" },
	[ISA_CLASS_STACK] = { ISA_CLASS_MOVE, "DATAXFER" },
	[ISA_CLASS_STRING] = { ISA_CLASS_MOVE, "DATAXFER" },
	[ISA_CLASS_INT_ARITHMETIC] = { ISA_CLASS_INT_ARITHMETIC, "BINARY" },
	[ISA_CLASS_INT_MULTIPLY] = { ISA_CLASS_INT_ARITHMETIC, "BINARY" },
	[ISA_CLASS_LOGIC] = { ISA_CLASS_INT_ARITHMETIC, "BINARY" },
	[ISA_CLASS_SHIFT] = { ISA_CLASS_INT_ARITHMETIC, "BINARY" },
	[ISA_CLASS_ATOMIC] = { ISA_CLASS_INT_ARITHMETIC, "BINARY" },
	[ISA_CLASS_BRANCH] = { ISA_CLASS_BRANCH, "COND_BR" },
	[ISA_CLASS_JUMP] = { ISA_CLASS_JUMP, "UNCOND_BR" },
	[ISA_CLASS_CALL] = { ISA_CLASS_CALL, "CALL" },
	[ISA_CLASS_RETURN] = { ISA_CLASS_RETURN, "RET" },
	[ISA_CLASS_X87] = { ISA_CLASS_X87, "X87_ALU" },
	[ISA_CLASS_VECTOR_MOVE] = { ISA_CLASS_VECTOR_INT, "SSE" },
	[ISA_CLASS_VECTOR_INT] = { ISA_CLASS_VECTOR_INT, "SSE" },
	[ISA_CLASS_CRYPTO] = { ISA_CLASS_VECTOR_INT, "SSE" },
	[ISA_CLASS_VECTOR_FLOAT] = { ISA_CLASS_VECTOR_FLOAT, "SSE" },
	[ISA_CLASS_NOP] = { ISA_CLASS_NOP, "NOP" },
	[ISA_CLASS_SYSTEM] = { ISA_CLASS_SYSTEM, "SYSTEM" },
	[ISA_CLASS_OPAQUE] = { ISA_CLASS_OPAQUE, "INVALID" },
};

enum { KEPT_FLAGS = TF_KIND_CONDITIONAL | TF_KIND_READS_FLAGS | TF_KIND_WRITES_FLAGS };

/* Replaces parts of registers by whole ones. Returns how many stay. */
static uint8_t fold_registers(uint8_t registers[TF_MAX_KIND_REGISTERS], unsigned n)
{
	uint8_t kept = 0;

	for (unsigned i = 0; i < n; i++) {
		uint8_t whole = isa_register_whole(registers[i]);

		if (!memchr(registers, whole, kept))
			registers[kept++] = whole;
	}
	memset(registers + kept, 0, TF_MAX_KIND_REGISTERS - kept);
	return kept;
}

static void fold(struct made_kind *made, bool decodes)
{
	struct tf_insn_kind *kind = &made->kind;

	kind->category = decodes ? folded[kind->insn_class].category : "INVALID";
	kind->insn_class = folded[kind->insn_class].insn_class;
	*made->iclass = *made->mnemonic = '\0';
	kind->flags &= KEPT_FLAGS;
	kind->n_reads = fold_registers(kind->reads, kind->n_reads);
	kind->n_writes = fold_registers(kind->writes, kind->n_writes);
	kind->n_register_operands = (uint8_t)(kind->n_reads + kind->n_writes);
}

bool kind_make(const struct tf_block *block, unsigned i, enum code_level level,
	       enum isa_vendor vendor, struct made_kind *made)
{
	bool decodes = read_facts(block, i, vendor, made);

	if (level == CODE_REGDEPS)
		fold(made, decodes);
	return decodes;
}
