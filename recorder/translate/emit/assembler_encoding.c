/* SPDX-License-Identifier: MIT */
/* The assembler's buffer, and the parts of which instructions consist. */
#include "recorder/translate/emit/assembler_internal.h"

#include <string.h>

/* ---- the buffer ---- */

void asm_begin(struct assembler *a, uint8_t *at, size_t size, uint64_t pc)
{
	a->start = a->at = at;
	a->end = at + size;
	a->pc = pc;
	a->full = false;
	a->n_literals = 0;
}

void asm_bytes(struct assembler *a, const void *bytes, size_t size)
{
	if ((size_t)(a->end - a->at) < size)
		a->full = true;
	if (a->full)
		return;
	memcpy(a->at, bytes, size);
	a->at += size;
}

void asm_literal(struct assembler *a, uint64_t value)
{
	if (a->n_literals == ASSEMBLER_LITERALS)
		a->full = true;
	if (a->full)
		return;
	a->literals[a->n_literals].field = a->at;
	a->literals[a->n_literals++].value = value;
	asm_bytes(a, &(uint32_t){ 0 }, sizeof(uint32_t));
}

bool asm_end(struct assembler *a)
{
	static const uint8_t int3[8] = { [0 ... 7] = 0xcc };

	if (a->n_literals)
		asm_bytes(a, int3, -asm_here(a) & 7);
	for (unsigned i = 0; i < a->n_literals && !a->full; i++) {
		uint8_t *field = a->literals[i].field;
		int32_t displacement = (int32_t)(a->at - (field + sizeof(displacement)));

		memcpy(field, &displacement, sizeof(displacement));
		asm_bytes(a, &a->literals[i].value, 8);
	}
	return !a->full;
}

/* ---- prefixes, opcodes, operands ---- */

enum { MEMORY_SIB = 4, SIB_NO_INDEX = 4, SIB_NO_BASE = 5 };

void encode_byte(struct assembler *a, unsigned value)
{
	if (a->at == a->end)
		a->full = true;
	if (!a->full)
		*a->at++ = (uint8_t)value;
}

void encode_32(struct assembler *a, uint32_t value)
{
	asm_bytes(a, &value, sizeof(value));
}

static unsigned scale_bits(unsigned scale)
{
	return scale ? (unsigned)__builtin_ctz(scale) : 0;
}

void encode_memory(struct assembler *a, const struct memory_insn *m)
{
	bool has_base = m->base != ISA_NO_REGISTER, has_index = m->index != ISA_NO_REGISTER;
	bool sib = has_index || !has_base || (m->base & 7) == ISA_RSP;
	unsigned mod = !has_base                                          ? 0
		       : m->displacement == 0 && (m->base & 7) != ISA_RBP ? 0
		       : fits_8(m->displacement)                          ? 1
									  : 2;
	unsigned rex = REX | m->rex | (m->reg & 8 ? REX_R : 0u) |
		       (has_index && m->index & 8 ? REX_X : 0u) |
		       (has_base && m->base & 8 ? REX_B : 0u);

	if (m->prefix)
		encode_byte(a, m->prefix);
	if (rex != REX)
		encode_byte(a, rex);
	if (m->escape)
		encode_byte(a, m->escape);
	encode_byte(a, m->opcode);
	encode_byte(a, mod << 6 | (m->reg & 7) << 3 | (sib ? MEMORY_SIB : m->base & 7));
	if (sib)
		encode_byte(a, scale_bits(m->scale) << 6 |
				       (has_index ? m->index & 7 : SIB_NO_INDEX) << 3 |
				       (has_base ? m->base & 7 : SIB_NO_BASE));
	if (mod == 1)
		encode_byte(a, (uint8_t)m->displacement);
	else if (mod == 2 || !has_base)
		encode_32(a, (uint32_t)m->displacement);
}

void encode_gs(struct assembler *a, unsigned rex, unsigned escape, unsigned opcode, unsigned reg,
	       uint32_t offset)
{
	encode_memory(a,
		      &(struct memory_insn){ SEGMENT_GS, rex, escape, opcode, reg, ISA_NO_REGISTER,
					     ISA_NO_REGISTER, 0, (int32_t)offset });
}

void encode_based(struct assembler *a, unsigned rex, unsigned escape, unsigned opcode, unsigned reg,
		  unsigned base, int32_t displacement)
{
	encode_memory(a, &(struct memory_insn){ 0, rex, escape, opcode, reg, base, ISA_NO_REGISTER,
						0, displacement });
}

void encode_based_32(struct assembler *a, unsigned reg, unsigned base, int32_t displacement)
{
	encode_byte(a, 2u << 6 | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == ISA_RSP)
		encode_byte(a, SIB_NO_INDEX << 3 | ISA_RSP);
	encode_32(a, (uint32_t)displacement);
}

void encode_registers(struct assembler *a, unsigned rex, unsigned escape, unsigned opcode,
		      unsigned reg, unsigned rm)
{
	encode_byte(a, REX | rex | (reg & 8 ? REX_R : 0u) | (rm & 8 ? REX_B : 0u));
	if (escape)
		encode_byte(a, escape);
	encode_byte(a, opcode);
	encode_byte(a, 3u << 6 | (reg & 7) << 3 | (rm & 7));
}
