/* SPDX-License-Identifier: MIT */
/* The facts about an instruction of a block: from its code or, where that is withheld, its kind. */
#include "traceformat/traceisa.h"

#include <stdio.h>
#include <string.h>

static const struct tf_insn_kind *kind_of(const struct tf_block *block, unsigned i)
{
	return block->kinds ? block->kinds[i] : NULL;
}

static const uint8_t *code_of(const struct tf_block *block, unsigned i)
{
	return block->code + block->insns[i].offset;
}

static uint64_t pc_of(const struct tf_block *block, unsigned i)
{
	return block->pc + block->insns[i].offset;
}

/* The category says so, as isa_facts() does. */
static bool decodes(const struct tf_insn_kind *kind)
{
	return strcmp(kind->category, "INVALID") != 0;
}

/* ---- from a kind ------------------------------------------------------------------------- */

static void put_operands(struct isa_insn *insn, const struct tf_block *block, unsigned i)
{
	const struct tf_insn *from = &block->insns[i];

	insn->n_operands = from->n_operands < ISA_MAX_OPERANDS ? from->n_operands
							       : ISA_MAX_OPERANDS;
	for (unsigned k = 0; k < insn->n_operands; k++) {
		struct isa_operand *o = &insn->operands[k];

		o->trace = block->operands[from->first_operand + k];
		o->trace.insn = o->trace.extra = 0;
		o->address = (struct isa_address){ .base = ISA_NO_REGISTER,
						   .index = ISA_NO_REGISTER,
						   .index_vector = ISA_NO_REGISTER,
						   .row_stride = ISA_NO_REGISTER };
	}
}

static int insn_of_kind(const struct tf_block *block, unsigned i, struct isa_insn *insn)
{
	const struct tf_insn_kind *kind = block->kinds[i];
	bool last = i + 1u == block->n_insns;

	if (!decodes(kind))
		return -1;
	*insn = (struct isa_insn){
		.length = block->insns[i].length,
		.flags = block->insns[i].flags,
		.end = last ? block->end : TF_END_NONE,
		.target = last ? block->target : 0,
		.insn_class = kind->insn_class,
		.rep_condition = kind->traits & ISA_TRAIT_REPE    ? 1
				 : kind->traits & ISA_TRAIT_REPNE ? 2
								  : 0,
	};
	put_operands(insn, block, i);
	return 0;
}

/* Pushes and pops, calls and returns move rsp, whatever else they do. */
static bool moves_stack(const struct tf_insn_kind *kind)
{
	const unsigned rsp = 1u << ISA_RSP;

	return (kind->insn_class == ISA_CLASS_STACK || kind->insn_class == ISA_CLASS_CALL ||
		kind->insn_class == ISA_CLASS_RETURN) &&
	       kind->general_reads & kind->general_writes & rsp;
}

static int effects_of_kind(const struct tf_block *block, unsigned i, struct isa_effects *effects)
{
	const struct tf_insn_kind *kind = block->kinds[i];
	bool stack = moves_stack(kind);

	if (!decodes(kind) || block->insns[i].flags & TF_INSN_OPAQUE)
		return -1;
	*effects = (struct isa_effects){
		.reads = kind->general_reads,
		.writes = kind->general_writes,
		.reads_flags = kind->flags & TF_KIND_READS_FLAGS,
		.writes_flags = kind->flags & TF_KIND_WRITES_FLAGS,
		.replaces_flags = kind->flags & TF_KIND_REPLACES_FLAGS,
		.uses_gs = kind->flags & TF_KIND_USES_GS,
		.to = stack ? ISA_RSP : ISA_NO_REGISTER,
		.from = stack ? ISA_RSP : ISA_NO_REGISTER,
	};
	return 0;
}

static int facts_of_kind(const struct tf_insn_kind *kind, struct isa_facts *facts)
{
	*facts = (struct isa_facts){
		.category = kind->category,
		.conditional = kind->flags & TF_KIND_CONDITIONAL,
		.register_transfer = kind->flags & TF_KIND_REGISTER_TRANSFER,
		.n_register_operands = kind->n_register_operands,
		.n_reads = kind->n_reads,
		.n_writes = kind->n_writes,
	};
	memcpy(facts->iclass, kind->iclass, strnlen(kind->iclass, sizeof(facts->iclass) - 1));
	memcpy(facts->reads, kind->reads, kind->n_reads);
	memcpy(facts->writes, kind->writes, kind->n_writes);
	return decodes(kind) ? 0 : -1;
}

/* ---- texts ------------------------------------------------------------------------------- */

struct text {
	char *at;
	size_t size;
};

static void add(struct text *text, const char *word)
{
	size_t length = strlen(word);

	if (!text->size)
		return;
	length = length < text->size - 1 ? length : text->size - 1;
	memcpy(text->at, word, length);
	text->at += length;
	text->size -= length;
	*text->at = '\0';
}

static void add_registers(struct text *text, const uint8_t *registers, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		add(text, i ? ", " : " ");
		add(text, isa_register_name(registers[i]));
	}
}

/* Writes "[mov: rax <- rbx, rcx]". */
static void describe_kind(const struct tf_insn_kind *kind, struct text *text)
{
	if (!decodes(kind)) {
		add(text, "(bad)");
		return;
	}
	add(text, "[");
	add(text, *kind->mnemonic ? kind->mnemonic : isa_class_name(kind->insn_class));
	if (kind->n_reads || kind->n_writes)
		add(text, ":");
	add_registers(text, kind->writes, kind->n_writes);
	if (kind->n_reads)
		add(text, " <-");
	add_registers(text, kind->reads, kind->n_reads);
	add(text, "]");
}

/* ---- interface --------------------------------------------------------------------------- */

int isa_block_insn(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
		   struct isa_insn *insn)
{
	return kind_of(block, i) ? insn_of_kind(block, i, insn)
				 : isa_decode(code_of(block, i), block->insns[i].length,
					      pc_of(block, i), vendor, insn);
}

int isa_block_effects(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
		      struct isa_effects *effects)
{
	return kind_of(block, i) ? effects_of_kind(block, i, effects)
				 : isa_effects(code_of(block, i), block->insns[i].length,
					       pc_of(block, i), vendor, effects);
}

int isa_block_facts(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
		    struct isa_facts *facts)
{
	return kind_of(block, i)
		       ? facts_of_kind(block->kinds[i], facts)
		       : isa_facts(code_of(block, i), block->insns[i].length, vendor, facts);
}

unsigned isa_block_traits(const struct tf_block *block, unsigned i)
{
	return kind_of(block, i) ? block->kinds[i]->traits
				 : isa_traits(code_of(block, i), block->insns[i].length);
}

void isa_block_mnemonic(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
			char *text, size_t size)
{
	if (kind_of(block, i))
		add(&(struct text){ text, size }, block->kinds[i]->mnemonic);
	else
		isa_mnemonic(code_of(block, i), block->insns[i].length, pc_of(block, i), vendor,
			     text, size);
}

void isa_block_disassemble(const struct tf_block *block, unsigned i, enum isa_vendor vendor,
			   enum isa_syntax syntax, char *text, size_t size)
{
	if (kind_of(block, i))
		describe_kind(block->kinds[i], &(struct text){ text, size });
	else
		isa_disassemble(code_of(block, i), block->insns[i].length, pc_of(block, i), vendor,
				syntax, text, size);
}
