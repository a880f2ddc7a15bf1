/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"
#include "traceformat/traceisa.h"

enum { MNEMONIC = 32, UNDECODABLE = 0x06 };

/* Compares operands but for their displacements. */
static bool same_operands(const struct isa_insn *a, const struct isa_insn *b)
{
	for (unsigned i = 0; i < a->n_operands; i++) {
		struct isa_operand x = a->operands[i], y = b->operands[i];

		x.address.displacement = y.address.displacement = 0;
		if (memcmp(&x.trace, &y.trace, sizeof(x.trace)) || x.n_extras != y.n_extras ||
		    memcmp(&x.address, &y.address, sizeof(x.address)))
			return false;
	}
	return a->n_operands == b->n_operands;
}

static bool same_insns(const struct isa_insn *a, const struct isa_insn *b)
{
	return a->length == b->length && a->flags == b->flags && a->end == b->end &&
	       a->insn_class == b->insn_class && a->n_values == b->n_values &&
	       a->loads_control_word == b->loads_control_word &&
	       a->writes_segment_base == b->writes_segment_base &&
	       a->rep_element == b->rep_element && a->rep_condition == b->rep_condition &&
	       a->address32 == b->address32 && same_operands(a, b);
}

static bool same_effects(const struct isa_effects *a, const struct isa_effects *b)
{
	return a->reads == b->reads && a->writes == b->writes && a->reads_flags == b->reads_flags &&
	       a->writes_flags == b->writes_flags && a->replaces_flags == b->replaces_flags &&
	       a->uses_gs == b->uses_gs && a->to == b->to && a->from == b->from &&
	       a->opcode == b->opcode && a->modrm == b->modrm && a->rip_field == b->rip_field &&
	       a->immediate == b->immediate;
}

static bool same_facts(const struct isa_facts *a, const struct isa_facts *b)
{
	return !strcmp(a->category, b->category) && !strcmp(a->iclass, b->iclass) &&
	       a->conditional == b->conditional && a->register_transfer == b->register_transfer &&
	       a->n_register_operands == b->n_register_operands && a->n_reads == b->n_reads &&
	       a->n_writes == b->n_writes && !memcmp(a->reads, b->reads, a->n_reads) &&
	       !memcmp(a->writes, b->writes, a->n_writes);
}

/* Returns whether decoders know the same of both instructions, but for constants and targets. */
static bool are_alike(const uint8_t *a, const uint8_t *b, size_t size, uint64_t pc,
		      enum isa_vendor vendor)
{
	struct isa_insn insns[2] = { 0 };
	struct isa_effects effects[2] = { 0 };
	struct isa_facts facts[2] = { 0 };
	char mnemonics[2][MNEMONIC];

	if (!memcmp(a, b, size))
		return true;
	if (isa_decode_all(a, size, pc, vendor, &insns[0], &effects[0]) !=
	    isa_decode_all(b, size, pc, vendor, &insns[1], &effects[1]))
		return false;
	isa_facts(a, size, vendor, &facts[0]);
	isa_facts(b, size, vendor, &facts[1]);
	isa_mnemonic(a, size, pc, vendor, mnemonics[0], MNEMONIC);
	isa_mnemonic(b, size, pc, vendor, mnemonics[1], MNEMONIC);
	return same_insns(&insns[0], &insns[1]) && same_effects(&effects[0], &effects[1]) &&
	       same_facts(&facts[0], &facts[1]) && !strcmp(mnemonics[0], mnemonics[1]);
}

static int cannot_strip(const struct tf_block *block, const struct tf_insn *insn,
			struct tf_error *error)
{
	error->status = TF_E_ARGUMENT;
	snprintf(error->text, sizeof(error->text),
		 "the constants of the instruction at 0x%" PRIx64
		 " cannot be removed without changing what it is; --keep-undecodable keeps it",
		 block->pc + insn->offset);
	return error->status;
}

/* Clears the constants of an instruction that decoders still know the same of. */
static void clear_constants(const struct isa_constants *constants, enum isa_vendor vendor,
			    uint64_t pc, struct stripped_insn *insn)
{
	const uint8_t *old = insn->key.bytes;
	unsigned length = insn->key.length;

	for (unsigned mask = 0; mask < 1u << constants->count; mask++) {
		/* The first mask removes all constants, the last one none. */
		memcpy(insn->code, old, length);
		for (unsigned i = 0; i < constants->count; i++)
			if (!(mask & 1u << i))
				isa_clear_constant(&constants->at[i], insn->code);
		insn->keeps_constants = mask;
		if (are_alike(old, insn->code, length, pc, vendor))
			return;
	}
}

/* Strips an instruction that is met for the first time, at pc; the result is the same elsewhere. */
static void strip(const struct dictionary *d, uint64_t pc, struct stripped_insn *insn)
{
	struct isa_constants constants;

	insn->is_stripped = true;
	memcpy(insn->code, insn->key.bytes, insn->key.length);
	insn->undecodable = isa_constants(insn->code, insn->key.length, d->vendor, &constants) < 0;
	if (!insn->undecodable)
		clear_constants(&constants, d->vendor, pc, insn);
	else if (!d->keeps_bad_code)
		memset(insn->code, UNDECODABLE, insn->key.length);
}

int code_strip(struct dictionary *d, const struct tf_block *block, uint8_t *code,
	       struct tf_error *error)
{
	for (unsigned i = 0; i < block->n_insns; i++) {
		const struct tf_insn *at = &block->insns[i];
		struct insn_bytes bytes = insn_bytes(block, at);
		struct stripped_insn *insn = checked(TABLE_PUT(d->stripped, bytes));

		if (!insn->is_stripped)
			strip(d, block->pc + at->offset, insn);
		memcpy(code + at->offset, insn->code, at->length);
		d->undecodable += insn->undecodable;
		if (insn->undecodable)
			continue;
		d->constants += memcmp(bytes.bytes, insn->code, at->length) != 0;
		if (insn->keeps_constants && !d->keeps_bad_code)
			return cannot_strip(block, at, error);
	}
	return 0;
}
