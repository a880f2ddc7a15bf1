/* SPDX-License-Identifier: MIT */
#include "recorder/translate/emit/encoding.h"

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
