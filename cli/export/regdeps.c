/* SPDX-License-Identifier: MIT */
#include "cli/export/regdeps.h"

#include <string.h>

enum {
	SOURCES_SHIFT = 4,
	WRITES_FLAGS = 1 << 8,
	READS_FLAGS = 1 << 9,
	CATEGORY_SHIFT = 10,
	FIRST_REGISTER = 2,
};

enum category {
	FLOATING_POINT = 1,
	LOAD = 2,
	STORE = 4,
	BRANCH = 8,
	SIMD = 0x10,
	STATE = 0x20,
	MOVE = 0x40,
	CONVERT = 0x80,
	MATH = 0x100,
	OTHER = 0x200,
};

/* ---- categories -------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool converts(const struct insn_facts *f)
{
	return begins(f->facts.iclass, "CVT") || begins(f->facts.iclass, "VCVT");
}

/* Returns true for instructions that save or restore registers as a whole. */
static bool moves_state(const struct insn_facts *f)
{
	return begins(f->facts.category, "XSAVE") || begins(f->facts.iclass, "FXSAVE") ||
	       begins(f->facts.iclass, "FXRSTOR");
}

static unsigned operation_of(const struct insn_facts *f)
{
	switch (f->insn.insn_class) {
	case ISA_CLASS_MOVE:
	case ISA_CLASS_STACK:
	case ISA_CLASS_STRING: return MOVE;
	case ISA_CLASS_INT_ARITHMETIC:
	case ISA_CLASS_INT_MULTIPLY:
	case ISA_CLASS_LOGIC:
	case ISA_CLASS_SHIFT:
	case ISA_CLASS_ATOMIC: return MATH;
	case ISA_CLASS_BRANCH:
	case ISA_CLASS_JUMP:
	case ISA_CLASS_CALL:
	case ISA_CLASS_RETURN: return BRANCH;
	case ISA_CLASS_X87: return FLOATING_POINT;
	case ISA_CLASS_VECTOR_MOVE: return SIMD | (converts(f) ? CONVERT : MOVE);
	case ISA_CLASS_VECTOR_INT: return SIMD | MATH;
	case ISA_CLASS_VECTOR_FLOAT: return FLOATING_POINT | SIMD | MATH;
	case ISA_CLASS_CRYPTO: return SIMD | OTHER;
	default: return moves_state(f) ? STATE : OTHER;
	}
}

static unsigned categories_of(const struct insn_facts *f)
{
	const struct tf_insn *insn = &f->block->insns[f->index];
	unsigned categories = f->known ? operation_of(f) : OTHER;

	for (unsigned i = 0; i < insn->n_operands; i++) {
		uint8_t access = f->block->operands[insn->first_operand + i].access;

		categories |= access & TF_LOAD ? LOAD : 0u;
		categories |= access & TF_STORE ? STORE : 0u;
	}
	return categories;
}

/* ---- the size of the operation ----------------------------------------------------------- */

/* Returns the size of a general register by its name, or 0 for others. */
static unsigned general_size(const char *name)
{
	size_t length = strlen(name);
	char last = name[length - 1];

	if (name[0] == 'r') {
		bool numbered = name[1] >= '0' && name[1] <= '9';

		return !numbered || (last >= '0' && last <= '9') ? 8
		       : last == 'd'                             ? 4
		       : last == 'w'                             ? 2
								 : 1;
	}
	if (length == 3 && name[0] == 'e')
		return 4;
	if (last == 'l' || (length == 2 && last == 'h'))
		return 1;
	return length == 2 && (last == 'x' || last == 'p' || last == 'i') ? 2 : 0;
}

static unsigned register_size(uint8_t number)
{
	static const struct {
		const char *begin;
		unsigned size;
	} others[] = {
		{ "xmm", 16 }, { "ymm", 32 }, { "zmm", 64 }, { "mm", 8 }, { "st", 10 }, { "k", 8 },
	};
	const char *name = isa_register_name(number);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (begins(name, others[i].begin))
			return others[i].size;
	return general_size(name);
}

/* Returns the size of the largest source; without one, that of the largest result. */
static unsigned operation_size(const struct insn_facts *f)
{
	const struct tf_insn *insn = &f->block->insns[f->index];
	unsigned from = 0, to = 0;

	for (unsigned i = 0; i < insn->n_operands; i++) {
		const struct tf_operand *o = &f->block->operands[insn->first_operand + i];

		if (o->access & TF_LOAD && o->size > from)
			from = o->size;
	}
	for (unsigned i = 0; i < f->facts.n_reads; i++)
		if (register_size(f->facts.reads[i]) > from)
			from = register_size(f->facts.reads[i]);
	for (unsigned i = 0; i < f->facts.n_writes; i++)
		if (register_size(f->facts.writes[i]) > to)
			to = register_size(f->facts.writes[i]);
	return from ? from : to;
}

/* Returns DynamoRIO's number of a size (OPSZ_), or 0 if the size has none. */
static uint8_t size_code(unsigned bytes)
{
	static const struct {
		uint16_t bytes;
		uint8_t code;
	} codes[] = {
		{ 0, 1 },   { 1, 2 },   { 2, 3 },    { 3, 41 },   { 4, 4 },
		{ 6, 5 },   { 8, 6 },   { 10, 7 },   { 12, 32 },  { 14, 9 },
		{ 16, 8 },  { 20, 56 }, { 24, 57 },  { 28, 10 },  { 32, 33 },
		{ 40, 34 }, { 64, 64 }, { 128, 79 }, { 512, 13 },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].bytes == bytes)
			return codes[i].code;
	return 0;
}

/* ---- the instruction --------------------------------------------------------------------- */

/* Appends whole registers, each once. Returns how many were appended. */
static unsigned add_registers(struct regdeps_insn *to, unsigned before, const uint8_t *facts,
			      unsigned count)
{
	uint8_t *first = to->bytes + sizeof(uint32_t) + 1 + before;
	unsigned n = 0;

	for (unsigned i = 0; i < count; i++) {
		uint8_t number = FIRST_REGISTER + isa_register_whole(facts[i]);

		if (memchr(first, number, n))
			continue;
		if (before + n == REGDEPS_MAX_REGISTERS)
			to->lost++;
		else
			first[n++] = number;
	}
	return n;
}

struct regdeps_insn regdeps_make(const struct insn_facts *f)
{
	enum { ALIGN = 4 };
	struct regdeps_insn made = { .size = sizeof(uint32_t) };
	unsigned written = add_registers(&made, 0, f->facts.writes, f->facts.n_writes);
	unsigned read = add_registers(&made, written, f->facts.reads, f->facts.n_reads);
	uint32_t head = written | read << SOURCES_SHIFT |
			(f->effects.writes_flags ? WRITES_FLAGS : 0u) |
			(f->effects.reads_flags ? READS_FLAGS : 0u) |
			categories_of(f) << CATEGORY_SHIFT;

	memcpy(made.bytes, &head, sizeof(head));
	if (written + read) {
		unsigned size = sizeof(head) + 1 + written + read;

		made.bytes[sizeof(head)] = size_code(operation_size(f));
		made.size = (uint8_t)((size + ALIGN - 1) / ALIGN * ALIGN);
	}
	return made;
}
