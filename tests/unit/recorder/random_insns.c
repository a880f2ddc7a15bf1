/* SPDX-License-Identifier: MIT */
#include <cpuid.h>
#include <string.h>

#include "tests/unit/recorder/random_insns.h"
#include "recorder/translate/plan/used_registers.h"
#include "traceformat/traceisa.h"

/* ---- encoding ---------------------------------------------------------------------------- */

void put(struct random_code *c, unsigned value)
{
	*c->at++ = (uint8_t)value;
}

void put32(struct random_code *c, uint32_t value)
{
	memcpy(c->at, &value, sizeof(value));
	c->at += sizeof(value);
}

/* Writes an opcode; opcodes of two bytes are given as 0x0fxx. */
static void put_opcode(struct random_code *c, unsigned opcode)
{
	if (opcode >> 8)
		put(c, opcode >> 8);
	put(c, opcode);
}

static void put_registers(struct random_code *c, unsigned opcode, unsigned reg, unsigned rm)
{
	put(c, 0x48 | (reg >> 3) << 2 | rm >> 3);
	put_opcode(c, opcode);
	put(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

bool is_small(unsigned reg)
{
	return reg == ISA_RCX || reg == ISA_RDX || reg == 9 || reg == 14;
}

static unsigned random_pointer(void)
{
	unsigned reg;

	do
		reg = pick(16);
	while (is_small(reg));
	return reg;
}

static unsigned random_small(void)
{
	static const uint8_t small[] = { ISA_RCX, ISA_RDX, 9, 14 };

	return small[pick(sizeof(small))];
}

unsigned random_target(void)
{
	unsigned reg;

	do
		reg = random_pointer();
	while (reg == ISA_RSP);
	return reg;
}

/* Writes an instruction with a memory operand, with REX.W if `rex_w` is set; `immediate` is the
 * number of bytes that will follow. */
static void put_memory(struct random_code *c, unsigned opcode, unsigned reg, bool rex_w,
		       unsigned immediate)
{
	unsigned rex = 0x40 | (rex_w ? 8u : 0u) | (reg >> 3) << 2;
	unsigned base = pick(50) ? random_pointer() : pick(16), index;

	switch (pick(8)) {
	case 0: { /* rip-relative */
		uint32_t target = DATA + 8 * pick(DATA_BYTES / 8 - 2);

		put(c, rex);
		put_opcode(c, opcode);
		put(c, (reg & 7) << 3 | 5);
		put32(c, target - (uint32_t)(uintptr_t)(c->at + 4 + immediate));
		return;
	}
	case 1: /* absolute */
		put(c, rex);
		put_opcode(c, opcode);
		put(c, (reg & 7) << 3 | 4);
		put(c, 0x25);
		put32(c, DATA + 8 * pick(DATA_BYTES / 8 - 2));
		return;
	case 2:
	case 3: /* base, index */
		index = pick(20) ? random_small() : pick(16);
		if (index == ISA_RSP)
			index = ISA_RCX;
		put(c, rex | (index >> 3) << 1 | base >> 3);
		put_opcode(c, opcode);
		put(c, 0x80 | (reg & 7) << 3 | 4);
		put(c, pick(4) << 6 | (index & 7) << 3 | (base & 7));
		put32(c, 8 * pick(8));
		return;
	case 4: /* 32-bit address */ put(c, 0x67); break;
	}
	put(c, rex | base >> 3);
	put_opcode(c, opcode);
	put(c, 0x80 | (reg & 7) << 3 | 4);
	put(c, 0x20 | (base & 7));
	put32(c, 8 * pick(16) - 64);
}

static void put_pointer(struct random_code *c, unsigned reg)
{
	put(c, 0x48 | reg >> 3);
	put(c, 0xc7);
	put(c, 0xc0 | (reg & 7));
	put32(c, DATA + 256 + 8 * pick(256));
}

void put_small(struct random_code *c, unsigned reg, unsigned value)
{
	put(c, 0x40 | reg >> 3);
	put(c, 0xb8 | (reg & 7));
	put32(c, value);
}

/* ---- instructions ------------------------------------------------------------------------ */

enum { STD = 0xfd, CLD = 0xfc };

/* Writes the prefix for 32-bit addresses; rcx may have more bits. */
static void put_half(struct random_code *c)
{
	if (pick(4) == 0) { /* bts rcx, 40 */
		put_registers(c, 0x0fba, 5, ISA_RCX);
		put(c, 40);
	}
	put(c, 0x67);
}

void put_string(struct random_code *c)
{
	static const uint8_t opcodes[] = { 0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xae, 0xaf, 0xad };

	put_pointer(c, ISA_RSI);
	put_pointer(c, ISA_RDI);
	if (pick(4) == 0)
		put(c, pick(3) ? STD : CLD);
	if (pick(2)) {
		if (pick(4))
			put_small(c, ISA_RCX, pick(6));
		if (pick(4) == 0)
			put_half(c);
		put(c, pick(2) ? 0xf3 : 0xf2);
	}
	if (pick(2))
		put(c, 0x48);
	put(c, opcodes[pick(sizeof(opcodes))]);
}

static void put_stack(struct random_code *c)
{
	unsigned reg = random_target();

	switch (pick(c->wild ? 12 : 9)) {
	case 0:
	case 1:
	case 2:
		if (reg >> 3)
			put(c, 0x41);
		put(c, 0x50 | (reg & 7));
		break;
	case 3:
	case 4:
		if (reg >> 3)
			put(c, 0x41);
		put(c, 0x58 | (reg & 7));
		break;
	case 5: put_memory(c, 0xff, 6, false, 0); break;
	case 6: put_memory(c, 0x8f, 0, false, 0); break;
	case 7: /* and rsp, -16 */
		put_registers(c, 0x83, 4, ISA_RSP);
		put(c, 0xf0);
		break;
	case 8: /* sub rsp, 8 .. ; add */
		put_registers(c, 0x83, pick(2) ? 5 : 0, ISA_RSP);
		put(c, 8 * pick(4));
		break;
	case 9: put_registers(c, 0x8b, ISA_RBP, ISA_RSP); break;
	case 10:
		put(c, 0xc9); /* leave */
		break;
	case 11:
		put(c, 0xc8); /* enter 16, 0 */
		put(c, 16);
		put(c, 0);
		put(c, 0);
		break;
	}
}

/* Writes a ModRM byte and an absolute address. */
static void put_absolute(struct random_code *c, unsigned reg, uint32_t address)
{
	put(c, (reg & 7) << 3 | 4);
	put(c, 0x25);
	put32(c, address);
}

static uint32_t random_word(void)
{
	return DATA + 8 * pick(DATA_BYTES / 8 - 8);
}

/* Writes a load of a control word, from memory that holds a valid one. */
static void put_control_word(struct random_code *c)
{
	enum { X87 = 0x37f, ROUNDING = 0xc00, MXCSR = 0x1f80, MXCSR_ROUNDING_AND_FLAGS = 0x603f };
	uint32_t word = random_word();
	bool x87 = pick(2);

	put(c, 0xc7);
	put_absolute(c, 0, word);
	put32(c, x87 ? X87 | (pick(4096) & ROUNDING)
		     : MXCSR | (pick(65536) & MXCSR_ROUNDING_AND_FLAGS));
	if (pick(8) == 0) { /* fninit */
		put(c, 0xdb);
		put(c, 0xe3);
		return;
	}
	put_opcode(c, x87 ? 0xd9 : 0x0fae);
	put_absolute(c, x87 ? 5 : 2, word);
}

/* Writes the VEX prefix and opcode of an instruction of map 0F38 or 0F with 32-byte operands. */
static void put_vex(struct random_code *c, unsigned map, unsigned vvvv, bool w, unsigned opcode)
{
	put(c, 0xc4);
	put(c, 0xe0 | map);
	put(c, (w ? 0x80u : 0u) | (~vvvv & 15) << 3 | 4 | 1);
	put(c, opcode);
}

/* Writes indices to ymm1 and a mask to ymm2, then a gather to ymm3 or a masked move. */
static void put_lanes(struct random_code *c)
{
	enum {
		MAP_0F = 1,
		MAP_0F38 = 2,
		VPMOVZXBD = 0x31,
		VPSLLD = 0x72,
		VPSLLD_REG = 6,
		VPGATHER = 0x90,
		VMASKMOV = 0x2c
	};
	bool w = pick(2);

	if (!__builtin_cpu_supports("avx2"))
		return;
	put_vex(c, MAP_0F38, 0, false, VPMOVZXBD + w);
	put_absolute(c, 1, random_word());
	put_vex(c, MAP_0F, 2, false, VPSLLD + w);
	put(c, 0xc0 | VPSLLD_REG << 3 | 1);
	put(c, (w ? 56 : 24) + pick(8));
	if (pick(3)) {
		put_pointer(c, ISA_RBX);
		put_vex(c, MAP_0F38, 2, pick(2), VPGATHER + w);
		put(c, 0x80 | 3 << 3 | 4);
		put(c, pick(3) << 6 | 1 << 3 | ISA_RBX);
		put32(c, pick(64));
	} else {
		put_vex(c, MAP_0F38, 2, false, VMASKMOV + pick(4));
		put_absolute(c, 1, random_word());
	}
}

/* Writes an instruction with operands of 1, 2, 4 or 8 bytes. Operands of 1 byte include ah to bh,
 * if registers are below 8. */
static void put_sized(struct random_code *c, unsigned bytes, unsigned opcode, unsigned reg,
		      unsigned rm)
{
	unsigned rex = 0x40 | (bytes == 8 ? 8u : 0u) | (reg >> 3) << 2 | rm >> 3;

	if (bytes == 2)
		put(c, 0x66);
	if (rex != 0x40 || pick(4))
		put(c, rex);
	put(c, opcode | (bytes > 1));
	put(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static void put_immediate(struct random_code *c, unsigned bytes)
{
	for (unsigned i = bytes < 4 ? bytes : 4; i; i--)
		put(c, pick(256));
}

/* lea reg, [reg + some bytes] */
static void put_moved(struct random_code *c, unsigned reg)
{
	enum { LEA = 0x8d, DISP8 = 0x40, SIB = 4, BASE_ALONE = 0x24 };

	put(c, 0x48 | (reg >> 3) << 2 | reg >> 3);
	put(c, LEA);
	put(c, DISP8 | (reg & 7) << 3 | (reg & 7));
	if ((reg & 7) == SIB)
		put(c, BASE_ALONE);
	put(c, 8 * pick(4));
}

/* Writes an instruction that replaces the flags and keeps pointers. */
void put_arithmetic(struct random_code *c)
{
	enum { ADD = 0, OR = 1, AND = 4, SUB = 5, XOR = 6, CMP = 7, TEST = 0x84 };
	static const uint8_t logic[] = { OR, AND, XOR }, of_rax[] = { 0x3c, 0xa8 };
	unsigned bytes = 1u << pick(4), reg = random_target(), small = random_small();

	switch (pick(10)) {
	case 0: put_sized(c, bytes, pick(2) ? CMP << 3 | pick(2) << 1 : TEST, reg, pick(16)); break;
	case 1:
		put_sized(c, bytes, 0x80, CMP, pick(16));
		put_immediate(c, bytes);
		break;
	case 2:
		put_sized(c, bytes, 0xf6, 0, pick(16));
		put_immediate(c, bytes);
		break;
	case 3: /* al, ax, eax or rax */
		if (bytes == 2)
			put(c, 0x66);
		if (bytes == 8)
			put(c, 0x48);
		put(c, of_rax[pick(2)] | (bytes > 1));
		put_immediate(c, bytes);
		break;
	case 4: put_sized(c, 8, logic[pick(3)] << 3 | pick(2) << 1, random_small(), small); break;
	case 5:
		put_sized(c, pick(2) ? 4 : 8, ADD << 3, random_small(), small);
		put_sized(c, 4, 0x82, AND, small); /* with an 8-bit immediate */
		put(c, pick(32));
		break;
	case 6: put_sized(c, pick(2) ? 4 : 8, pick(2) ? SUB << 3 : XOR << 3, small, small); break;
	case 7:
		put_sized(c, 8, 0x82, pick(2) ? ADD : SUB, reg);
		put(c, 8 * pick(4));
		break;
	case 8: /* the added register is subtracted again */
		put_sized(c, 8, ADD << 3 | 1, small, reg);
		put_sized(c, 8, SUB << 3 | 1, small, reg);
		break;
	case 9:
		put_sized(c, bytes, CMP << 3 | pick(2) << 1, reg, pick(16));
		put_moved(c, reg);
		break;
	}
}

/* Writes a popf with flags that affect nothing except later instructions. */
static void put_popf(struct random_code *c)
{
	enum { PUSH = 0x68, POPF = 0x9d, FLAGS = 0xcd5, FIXED = 0x202 };

	put(c, PUSH);
	put32(c, FIXED | (pick(1 << 12) & FLAGS));
	if (pick(8) == 0)
		put(c, 0x66);
	put(c, POPF);
}

/* Writes accesses through fs and gs, and loads of their bases with small numbers. */
static void put_segments(struct random_code *c)
{
	enum { FS = 0x64, WRFSBASE = 2 };
	unsigned gs = pick(3) > 0, small;

	if (!used_registers_have_bases())
		return;
	switch (pick(8)) {
	case 0:
	case 1:
	case 2:
		put(c, FS + gs);
		put_memory(c, pick(2) ? 0x8b : 0x13, random_target(), true, 0);
		break;
	case 3:
	case 4:
		put(c, FS + gs);
		put_memory(c, 0x89, pick(16), true, 0);
		break;
	case 5:
	case 6:
		small = random_small();
		put_small(c, small, 8 * pick(4));
		put(c, 0xf3);
		put_registers(c, 0x0fae, WRFSBASE + gs, small);
		break;
	case 7: /* pushed and popped, after which some processors keep the base */
		put_opcode(c, gs ? 0x0fa8 : 0x0fa0);
		put_opcode(c, gs ? 0x0fa9 : 0x0fa1);
		break;
	}
}

static bool has_clzero(void)
{
	enum { FEATURES = 0x80000008, CLZERO = 1 };
	unsigned a, b, d, n;

	return __get_cpuid(FEATURES, &a, &b, &n, &d) && b & CLZERO;
}

/* maskmovq, clzero */
static void put_rare_store(struct random_code *c)
{
	if (pick(2)) {
		put_opcode(c, 0x0f6f);
		put_absolute(c, 0, random_word());
		put_opcode(c, 0x0f6f);
		put_absolute(c, 1, random_word());
		put_pointer(c, ISA_RDI);
		put_opcode(c, 0x0ff7);
		put(c, 0xc1);
	} else if (has_clzero()) {
		put_pointer(c, ISA_RAX);
		put_opcode(c, 0x0f01);
		put(c, 0xfc);
	}
}

static void put_odd(struct random_code *c)
{
	switch (pick(10)) {
	case 6: put_popf(c); break;
	case 7:
	case 8: put_segments(c); break;
	case 9: put_rare_store(c); break;
	case 0:
	case 1: /* bt, bts with a register */
		put_memory(c, pick(2) ? 0x0fa3 : 0x0fab, pick(16) ? random_small() : pick(16),
			   pick(2), 0);
		break;
	case 2: /* xlat */
		put_pointer(c, ISA_RBX);
		put(c, 0xd7);
		break;
	case 3: put_control_word(c); break;
	default: put_lanes(c); break;
	}
}

void put_insn(struct random_code *c)
{
	unsigned reg = random_target();

	switch (pick(24)) {
	case 0:
	case 1: put_memory(c, 0x8b, reg, true, 0); break;
	case 2:
	case 3: put_memory(c, 0x89, pick(16), true, 0); break;
	case 4:
		put_registers(c, 0x83, pick(2) ? 0 : 5, reg);
		put(c, pick(32));
		break;
	case 5: put_memory(c, 0x8d, reg, true, 0); break;
	case 6: put_registers(c, 0x8b, reg, random_pointer()); break;
	case 7:
	case 8: put_stack(c); break;
	case 9: /* adc, xchg, cmp, test with memory */
		put_memory(c, pick(2) ? 0x87 : 0x3b, reg, true, 0);
		break;
	case 10: put_registers(c, 0xff, pick(2), pick(2) ? reg : random_small()); break;
	case 11: put_memory(c, 0x0fb6, random_small(), false, 0); break;
	case 12:
		put_memory(c, 0x13, random_small(), false, 0);
		put_registers(c, 0x0fb6, random_small(), random_small());
		break;
	case 13: put_string(c); break;
	case 14: put_small(c, random_small(), pick(32)); break;
	case 15:
	case 16: put_pointer(c, reg); break;
	case 17: /* cmovcc */ put_memory(c, 0x0f40 | pick(16), reg, true, 0); break;
	case 18: /* add [m], imm8; setcc [m] */
		if (pick(2)) {
			put_memory(c, 0x83, 0, true, 1);
			put(c, pick(64));
		} else {
			put_memory(c, 0x0f90 | pick(16), 0, false, 0);
		}
		break;
	case 19: /* xchg registers of a kind, sbb small */
		if (pick(2))
			put_registers(c, 0x87, reg, random_target());
		else
			put_registers(c, 0x1b, random_small(), random_small());
		break;
	case 20: /* low bytes only */ put_memory(c, 0x8a, random_small(), false, 0); break;
	default: put_odd(c); break;
	}
}
