/* SPDX-License-Identifier: MIT */
/*
 * Decodes the input's bytes as code, from every offset at which an instruction ends, for both
 * vendors, and calls every function of libtraceisa. Besides crashes, hangs and sanitizer reports,
 * these are faults: lengths, operands and values that exceed the header's bounds, texts without an
 * end, and decoders that disagree.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/verify/second_decoder.h"
#include "tests/fuzz/require.h"
#include "traceformat/traceisa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 512, MOST_LENGTH = 15, MOST_TEXT = 128 };

static void check_operand(const struct isa_operand *o)
{
	REQUIRE(o->n_extras <= ISA_MAX_EXTRAS);
	REQUIRE(o->address.base < 16 || o->address.base == ISA_NO_REGISTER);
	REQUIRE(o->address.index < 16 || o->address.index == ISA_NO_REGISTER);
	REQUIRE(o->address.index_vector < 32 || o->address.index_vector == ISA_NO_REGISTER);
	REQUIRE(o->address.row_stride < 16 || o->address.row_stride == ISA_NO_REGISTER);
	REQUIRE(o->address.mask_lanes <= 64);
}

/* Computes values from registers that hold the input's bytes. No value is written past the last. */
static void check_values(const struct isa_insn *insn, const uint8_t *data, size_t size)
{
	static struct isa_registers registers;
	uint64_t values[ISA_MAX_VALUES + 1];

	memcpy(&registers, data, size < sizeof(registers) ? size : sizeof(registers));
	memset(values, 0x5a, sizeof(values));
	REQUIRE(insn->n_values <= ISA_MAX_VALUES);
	isa_values(insn, &registers, values);
	REQUIRE(values[insn->n_values] == UINT64_C(0x5a5a5a5a5a5a5a5a));
	isa_needs_vectors(insn);
}

static void check_facts(const uint8_t *code, size_t left, enum isa_vendor vendor)
{
	struct isa_facts facts;
	int status = isa_facts(code, left, vendor, &facts);

	REQUIRE(*facts.category && *facts.iclass && memchr(facts.iclass, 0, sizeof(facts.iclass)));
	REQUIRE(facts.n_reads <= ISA_MAX_FACT_REGISTERS &&
		facts.n_writes <= ISA_MAX_FACT_REGISTERS);
	REQUIRE(status == 0 || (!facts.n_reads && !facts.n_writes));
	for (unsigned i = 0; i < facts.n_reads; i++)
		REQUIRE(*isa_register_name(isa_register_whole(facts.reads[i])));
	for (unsigned i = 0; i < facts.n_writes; i++)
		REQUIRE(*isa_register_name(isa_register_whole(facts.writes[i])));
}

static void check_texts(const uint8_t *code, size_t left, uint64_t pc, enum isa_vendor vendor)
{
	const size_t sizes[] = { code[0] % MOST_TEXT + 1u, MOST_TEXT };

	for (unsigned i = 0; i < 2; i++) {
		size_t size = sizes[i];
		char *text = malloc(size);

		REQUIRE(text);
		isa_disassemble(code, left, pc, vendor, ISA_SYNTAX_ATT, text, size);
		REQUIRE(memchr(text, 0, size));
		isa_disassemble(code, left, pc, vendor, ISA_SYNTAX_INTEL, text, size);
		REQUIRE(memchr(text, 0, size));
		isa_mnemonic(code, left, pc, vendor, text, size);
		REQUIRE(memchr(text, 0, size));
		free(text);
	}
}

static void check_effects(const uint8_t *code, size_t left, uint64_t pc, enum isa_vendor vendor,
			  const struct isa_insn *insn)
{
	struct isa_effects effects, together;
	struct isa_insn again;

	REQUIRE(isa_decode_all(code, left, pc, vendor, &again, &together) == 0);
	REQUIRE(again.length == insn->length && again.flags == insn->flags &&
		again.end == insn->end && again.n_values == insn->n_values);
	if (isa_effects(code, left, pc, vendor, &effects) < 0)
		return;
	REQUIRE(effects.opcode < insn->length && effects.modrm < insn->length);
	REQUIRE(!effects.rip_field || effects.rip_field + 4 + effects.immediate == insn->length);
	REQUIRE(effects.to < 16 || effects.to == ISA_NO_REGISTER);
	REQUIRE(effects.to == together.to && effects.opcode == together.opcode &&
		effects.reads == together.reads && effects.writes == together.writes);
}

static void check_second(const uint8_t *code, size_t left, uint64_t pc, enum isa_vendor vendor,
			 const struct isa_insn *insn)
{
	static struct second_decoder *decoder;
	struct decoder_difference difference;

	if (!decoder)
		decoder = second_decoder_open();
	REQUIRE(decoder);
	if (second_decoder_compare(decoder, code, left, pc, vendor, insn, &difference) ==
	    DECODERS_DIFFER)
		REQUIRE(*decoded_part_name(difference.part) &&
			memchr(difference.theirs, 0, sizeof(difference.theirs)));
}

/* Returns the instruction's length, or 1 if there is none. */
static size_t check_insn(const uint8_t *code, size_t left, uint64_t pc, enum isa_vendor vendor,
			 const uint8_t *data, size_t size)
{
	struct isa_insn insn;

	check_facts(code, left, vendor);
	check_texts(code, left, pc, vendor);
	if (isa_decode(code, left, pc, vendor, &insn) < 0)
		return 1;
	REQUIRE(insn.length >= 1 && insn.length <= MOST_LENGTH && insn.length <= left);
	REQUIRE(insn.insn_class < ISA_N_CLASSES && *isa_class_name(insn.insn_class));
	REQUIRE(insn.n_operands <= ISA_MAX_OPERANDS);
	REQUIRE(!(insn.flags & TF_INSN_OPAQUE) || !insn.n_operands);
	for (unsigned i = 0; i < insn.n_operands; i++)
		check_operand(&insn.operands[i]);
	check_values(&insn, data, size);
	check_effects(code, left, pc, vendor, &insn);
	check_second(code, left, pc, vendor, &insn);
	return insn.length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t pc = 0x400000;

	if (size > MOST_BYTES)
		return -1;
	for (enum isa_vendor vendor = ISA_INTEL; vendor <= ISA_AMD; vendor++)
		for (size_t at = 0; at < size;) {
			/* AddressSanitizer thus notices reads behind the last byte. */
			size_t left = size - at < 16 ? size - at : 16;
			uint8_t *code = malloc(left);

			REQUIRE(code);
			memcpy(code, data + at, left);
			at += check_insn(code, left, pc + at, vendor, data, size);
			free(code);
		}
	return 0;
}
