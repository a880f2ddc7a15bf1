/* SPDX-License-Identifier: MIT */
/*
 * Encodes the bytes of an instruction: prefixes, opcode, operands. Only the assembler's files use
 * this header. Encodings are from the Intel 64 manual, volume 2.
 */
#ifndef ASSEMBLER_INTERNAL_H
#define ASSEMBLER_INTERNAL_H

#include "recorder/translate/emit/assembler.h"

enum { REX = 0x40, REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };
enum { SEGMENT_GS = 0x65, ESCAPE = 0x0f, INT3 = 0xcc };

/* Group 5 has the operation in the place of a register. */
enum { GROUP_5 = 0xff, GROUP_5_JMP = 4, GROUP_5_PUSH = 6 };

static inline bool fits_8(int64_t v)
{
	return v == (int8_t)v;
}

static inline bool fits_32(int64_t v)
{
	return v == (int32_t)v;
}

void encode_byte(struct assembler *a, unsigned value);
void encode_32(struct assembler *a, uint32_t value);

/* The prefix, opcode and operands of an instruction with a register and a memory operand. */
struct memory_insn {
	unsigned prefix; /* segment override; 0: none */
	unsigned rex;    /* REX_W or 0 */
	unsigned escape; /* ESCAPE or 0 */
	unsigned opcode, reg, base, index, scale;
	int32_t displacement;
};

void encode_memory(struct assembler *a, const struct memory_insn *m);

/* Encode the usual operands: reg and gs:[offset]; reg and [base + displacement]. */
void encode_gs(struct assembler *a, unsigned rex, unsigned escape, unsigned opcode, unsigned reg,
	       uint32_t offset);
void encode_based(struct assembler *a, unsigned rex, unsigned escape, unsigned opcode, unsigned reg,
		  unsigned base, int32_t displacement);

/* Encodes, after a prefix and opcode, reg and [base + displacement], always with a 32-bit
 * displacement. */
void encode_based_32(struct assembler *a, unsigned reg, unsigned base, int32_t displacement);

void encode_registers(struct assembler *a, unsigned rex, unsigned escape, unsigned opcode,
		      unsigned reg, unsigned rm);

/* Returns the ModRM byte of reg and a memory operand at a 32-bit distance from the next
 * instruction. */
static inline unsigned rip_relative(unsigned reg)
{
	return (reg & 7) << 3 | 5;
}

#endif
