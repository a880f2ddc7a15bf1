/* SPDX-License-Identifier: MIT */
/*
 * Random programs for test_translate_run.c: blocks of instructions at CODE that mostly use memory
 * at DATA, and jump to each other in all ways. Registers are of two kinds, pointers into DATA and
 * small numbers, so that most addresses are valid; some are not.
 */
#ifndef RANDOM_CODE_H
#define RANDOM_CODE_H

#include <string.h>
#include <sys/user.h>

#include "traceformat/isa.h"

enum {
	PAGE = 4096,
	CODE = 0x10000000,
	CODE_BYTES = 4 * PAGE,
	DATA = 0x20000000,		/* the stack is in it */
	DATA_BYTES = PAGE,
	TABLE = 0x20002000,		/* addresses of blocks, read-only */
	STACK = DATA + 3072,
	CODE_BLOCKS = 24,
	NO_FUNCTION = 99,
};

struct random_code {
	uint64_t registers[16];
	uint8_t *at;
	uint32_t targets[CODE_BLOCKS];	/* of forward jumps: filled in when blocks have begun */
	bool wild;			/* anything may happen to rsp */
	struct {
		uint8_t *field;
		unsigned block;
		bool relative;
	} jumps[2 * CODE_BLOCKS];
	unsigned n_jumps;
};

static uint64_t random_state;
static struct {
	uint64_t pc;
	unsigned n_args;
} functions[CODE_BLOCKS];
static unsigned n_code_functions;
static uint32_t block_starts[CODE_BLOCKS];

static inline uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static inline unsigned random_below(unsigned n)
{
	return (unsigned)(random64() >> 20) % n;
}

/* Arguments of the function that begins there, or NO_FUNCTION. */
static inline unsigned code_args(uint64_t pc)
{
	for (unsigned i = 0; i < n_code_functions; i++)
		if (functions[i].pc == pc)
			return functions[i].n_args;
	return NO_FUNCTION;
}

/* Bytes from pc to the next function, where blocks end. */
static inline size_t code_until_function(uint64_t pc)
{
	uint64_t end = CODE + CODE_BYTES;

	for (unsigned i = 0; i < n_code_functions; i++)
		if (functions[i].pc > pc && functions[i].pc < end)
			end = functions[i].pc;
	return pc < end ? end - pc : 0;
}

static inline uint64_t random_code_target(void)
{
	return block_starts[random_below(CODE_BLOCKS)];
}

/* ---- encoding ---------------------------------------------------------------------------- */

static inline void put(struct random_code *c, unsigned value)
{
	*c->at++ = (uint8_t)value;
}

static inline void put32(struct random_code *c, uint32_t value)
{
	memcpy(c->at, &value, sizeof(value));
	c->at += sizeof(value);
}

/* Opcodes of two bytes are written 0x0fxx. */
static inline void put_opcode(struct random_code *c, unsigned opcode)
{
	if (opcode >> 8)
		put(c, opcode >> 8);
	put(c, opcode);
}

static inline void put_registers(struct random_code *c, unsigned opcode, unsigned reg, unsigned rm)
{
	put(c, 0x48 | (reg >> 3) << 2 | rm >> 3);
	put_opcode(c, opcode);
	put(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static inline bool is_small(unsigned reg)
{
	return reg == ISA_RCX || reg == ISA_RDX || reg == 9 || reg == 14;
}

static inline unsigned random_pointer(void)
{
	unsigned reg;

	do
		reg = random_below(16);
	while (is_small(reg));
	return reg;
}

static inline unsigned random_small(void)
{
	static const uint8_t small[] = { ISA_RCX, ISA_RDX, 9, 14 };

	return small[random_below(sizeof(small))];
}

/* A register that may be written freely. */
static inline unsigned random_target(void)
{
	unsigned reg;

	do
		reg = random_pointer();
	while (reg == ISA_RSP);
	return reg;
}

/* An instruction with a memory operand; immediate: bytes that will follow it. rex: REX.W. */
static inline void put_memory(struct random_code *c, unsigned opcode, unsigned reg, bool rex_w,
			      unsigned immediate)
{
	unsigned rex = 0x40 | (rex_w ? 8u : 0u) | (reg >> 3) << 2;
	unsigned base = random_below(50) ? random_pointer() : random_below(16), index;

	switch (random_below(8)) {
	case 0: {	/* rip-relative */
		uint32_t target = DATA + 8 * random_below(DATA_BYTES / 8 - 2);

		put(c, rex);
		put_opcode(c, opcode);
		put(c, (reg & 7) << 3 | 5);
		put32(c, target - (uint32_t)(uintptr_t)(c->at + 4 + immediate));
		return;
	}
	case 1:		/* absolute */
		put(c, rex);
		put_opcode(c, opcode);
		put(c, (reg & 7) << 3 | 4);
		put(c, 0x25);
		put32(c, DATA + 8 * random_below(DATA_BYTES / 8 - 2));
		return;
	case 2:
	case 3:		/* base, index */
		index = random_below(20) ? random_small() : random_below(16);
		if (index == ISA_RSP)
			index = ISA_RCX;
		put(c, rex | (index >> 3) << 1 | base >> 3);
		put_opcode(c, opcode);
		put(c, 0x80 | (reg & 7) << 3 | 4);
		put(c, random_below(4) << 6 | (index & 7) << 3 | (base & 7));
		put32(c, 8 * random_below(8));
		return;
	case 4:		/* 32-bit address */
		put(c, 0x67);
		break;
	}
	put(c, rex | base >> 3);
	put_opcode(c, opcode);
	put(c, 0x80 | (reg & 7) << 3 | 4);
	put(c, 0x20 | (base & 7));
	put32(c, 8 * random_below(16) - 64);
}

static inline void put_pointer(struct random_code *c, unsigned reg)
{
	put(c, 0x48 | reg >> 3);
	put(c, 0xc7);
	put(c, 0xc0 | (reg & 7));
	put32(c, DATA + 256 + 8 * random_below(256));
}

static inline void put_small(struct random_code *c, unsigned reg, unsigned value)
{
	put(c, 0x40 | reg >> 3);
	put(c, 0xb8 | (reg & 7));
	put32(c, value);
}

/* ---- instructions ------------------------------------------------------------------------ */

static inline void put_string(struct random_code *c)
{
	static const uint8_t opcodes[] = { 0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xae, 0xaf, 0xad };

	put_pointer(c, ISA_RSI);
	put_pointer(c, ISA_RDI);
	if (random_below(2)) {
		if (random_below(4))
			put_small(c, ISA_RCX, random_below(6));
		put(c, random_below(2) ? 0xf3 : 0xf2);
	}
	if (random_below(2))
		put(c, 0x48);
	put(c, opcodes[random_below(sizeof(opcodes))]);
}

static inline void put_stack(struct random_code *c)
{
	unsigned reg = random_target();

	switch (random_below(c->wild ? 12 : 9)) {
	case 0: case 1: case 2:
		if (reg >> 3)
			put(c, 0x41);
		put(c, 0x50 | (reg & 7));
		break;
	case 3: case 4:
		if (reg >> 3)
			put(c, 0x41);
		put(c, 0x58 | (reg & 7));
		break;
	case 5:
		put_memory(c, 0xff, 6, false, 0);
		break;
	case 6:
		put_memory(c, 0x8f, 0, false, 0);
		break;
	case 7:		/* and rsp, -16 */
		put_registers(c, 0x83, 4, ISA_RSP);
		put(c, 0xf0);
		break;
	case 8:		/* sub rsp, 8 .. ; add */
		put_registers(c, 0x83, random_below(2) ? 5 : 0, ISA_RSP);
		put(c, 8 * random_below(4));
		break;
	case 9:
		put_registers(c, 0x8b, ISA_RBP, ISA_RSP);
		break;
	case 10:
		put(c, 0xc9);	/* leave */
		break;
	case 11:
		put(c, 0xc8);	/* enter 16, 0 */
		put(c, 16);
		put(c, 0);
		put(c, 0);
		break;
	}
}

/* ModRM byte and what follows it: an absolute address. */
static inline void put_absolute(struct random_code *c, unsigned reg, uint32_t address)
{
	put(c, (reg & 7) << 3 | 4);
	put(c, 0x25);
	put32(c, address);
}

static inline uint32_t random_word(void)
{
	return DATA + 8 * random_below(DATA_BYTES / 8 - 8);
}

/* Loads of control words, from where valid ones have been put. */
static inline void put_control_word(struct random_code *c)
{
	enum { X87 = 0x37f, ROUNDING = 0xc00, MXCSR = 0x1f80, MXCSR_ROUNDING_AND_FLAGS = 0x603f };
	uint32_t word = random_word();
	bool x87 = random_below(2);

	put(c, 0xc7);
	put_absolute(c, 0, word);
	put32(c, x87 ? X87 | (random_below(4096) & ROUNDING)
		     : MXCSR | (random_below(65536) & MXCSR_ROUNDING_AND_FLAGS));
	if (random_below(8) == 0) {	/* fninit */
		put(c, 0xdb);
		put(c, 0xe3);
		return;
	}
	put_opcode(c, x87 ? 0xd9 : 0x0fae);
	put_absolute(c, x87 ? 5 : 2, word);
}

/* VEX prefix and opcode of an instruction of map 0F38 or 0F with 32-byte operands. */
static inline void put_vex(struct random_code *c, unsigned map, unsigned vvvv, bool w,
			   unsigned opcode)
{
	put(c, 0xc4);
	put(c, 0xe0 | map);
	put(c, (w ? 0x80u : 0u) | (~vvvv & 15) << 3 | 4 | 1);
	put(c, opcode);
}

/* Indices in ymm1, a mask in ymm2; then a gather to ymm3 or a masked move. */
static inline void put_lanes(struct random_code *c)
{
	enum { MAP_0F = 1, MAP_0F38 = 2, VPMOVZXBD = 0x31, VPSLLD = 0x72, VPSLLD_REG = 6,
	       VPGATHER = 0x90, VMASKMOV = 0x2c };
	bool w = random_below(2);

	if (!__builtin_cpu_supports("avx2"))
		return;
	put_vex(c, MAP_0F38, 0, false, VPMOVZXBD + w);
	put_absolute(c, 1, random_word());
	put_vex(c, MAP_0F, 2, false, VPSLLD + w);
	put(c, 0xc0 | VPSLLD_REG << 3 | 1);
	put(c, (w ? 56 : 24) + random_below(8));
	if (random_below(3)) {
		put_pointer(c, ISA_RBX);
		put_vex(c, MAP_0F38, 2, random_below(2), VPGATHER + w);
		put(c, 0x80 | 3 << 3 | 4);
		put(c, random_below(3) << 6 | 1 << 3 | ISA_RBX);
		put32(c, random_below(64));
	} else {
		put_vex(c, MAP_0F38, 2, false, VMASKMOV + random_below(4));
		put_absolute(c, 1, random_word());
	}
}

static inline void put_odd(struct random_code *c)
{
	switch (random_below(6)) {
	case 0: case 1:		/* bt, bts with a register */
		put_memory(c, random_below(2) ? 0x0fa3 : 0x0fab, random_below(16) ? random_small()
								: random_below(16),
			   random_below(2), 0);
		break;
	case 2:			/* xlat */
		put_pointer(c, ISA_RBX);
		put(c, 0xd7);
		break;
	case 3:
		put_control_word(c);
		break;
	default:
		put_lanes(c);
		break;
	}
}

static inline void put_insn(struct random_code *c)
{
	unsigned reg = random_target();

	switch (random_below(24)) {
	case 0: case 1:
		put_memory(c, 0x8b, reg, true, 0);
		break;
	case 2: case 3:
		put_memory(c, 0x89, random_below(16), true, 0);
		break;
	case 4:
		put_registers(c, 0x83, random_below(2) ? 0 : 5, reg);
		put(c, random_below(32));
		break;
	case 5:
		put_memory(c, 0x8d, reg, true, 0);
		break;
	case 6:
		put_registers(c, 0x8b, reg, random_pointer());
		break;
	case 7: case 8:
		put_stack(c);
		break;
	case 9:		/* adc, xchg, cmp, test with memory */
		put_memory(c, random_below(2) ? 0x87 : 0x3b, reg, true, 0);
		break;
	case 10:
		put_registers(c, 0xff, random_below(2), random_below(2) ? reg : random_small());
		break;
	case 11:
		put_memory(c, 0x0fb6, random_small(), false, 0);
		break;
	case 12:
		put_memory(c, 0x13, random_small(), false, 0);
		put_registers(c, 0x0fb6, random_small(), random_small());
		break;
	case 13:
		put_string(c);
		break;
	case 14:
		put_small(c, random_small(), random_below(32));
		break;
	case 15: case 16:
		put_pointer(c, reg);
		break;
	case 17:	/* cmovcc */
		put_memory(c, 0x0f40 | random_below(16), reg, true, 0);
		break;
	case 18:	/* add [m], imm8; setcc [m] */
		if (random_below(2)) {
			put_memory(c, 0x83, 0, true, 1);
			put(c, random_below(64));
		} else {
			put_memory(c, 0x0f90 | random_below(16), 0, false, 0);
		}
		break;
	case 19:	/* xchg registers of a kind, sbb small */
		if (random_below(2))
			put_registers(c, 0x87, reg, random_target());
		else
			put_registers(c, 0x1b, random_small(), random_small());
		break;
	case 20:	/* low bytes only */
		put_memory(c, 0x8a, random_small(), false, 0);
		break;
	default:
		put_odd(c);
		break;
	}
}

/* ---- jumps ------------------------------------------------------------------------------- */

static inline unsigned random_block(unsigned from)
{
	return random_below(5) && from + 1 < CODE_BLOCKS ?
	       from + 1 + random_below(CODE_BLOCKS - from - 1) : random_below(CODE_BLOCKS);
}

static inline void put_target(struct random_code *c, unsigned block, bool relative)
{
	c->jumps[c->n_jumps].field = c->at;
	c->jumps[c->n_jumps].relative = relative;
	c->jumps[c->n_jumps++].block = block;
	put32(c, 0);
}

/* loop and jrcxz, around a jump of five bytes or onto it */
static inline void put_short_branch(struct random_code *c, unsigned to)
{
	if (random_below(2))
		put_small(c, ISA_RCX, random_below(3));
	put(c, 0xe0 | random_below(4));
	put(c, 5);
	put(c, 0xe9);
	put_target(c, to, true);
}

static inline void put_indirect(struct random_code *c, unsigned to)
{
	unsigned reg = random_target(), call = random_below(2) ? 2 : 4;
	uint32_t entry = TABLE + 8 * to;

	switch (random_below(6)) {
	case 0:
		put_small(c, reg, 0);
		c->at -= 4;
		put_target(c, to, false);
		put(c, 0x40 | reg >> 3);
		put(c, 0xff);
		put(c, 0xc0 | call << 3 | (reg & 7));
		break;
	case 1:		/* absolute, rip-relative */
		put(c, 0xff);
		put(c, call << 3 | 4);
		put(c, 0x25);
		put32(c, entry);
		break;
	case 2:
		put(c, 0xff);
		put(c, call << 3 | 5);
		put32(c, entry - (uint32_t)(uintptr_t)(c->at + 4));
		break;
	case 3:		/* with base and index */
		put_small(c, ISA_RCX, to);
		put_small(c, reg, TABLE);
		put(c, 0x40 | reg >> 3);
		put(c, 0xff);
		put(c, 0x40 | call << 3 | 4);
		put(c, 0xc8 | (reg & 7));
		put(c, 0);
		break;
	case 4:		/* below rsp, where a call pushes; near it at times */
		put(c, 0x48);
		put(c, 0xc7);
		put(c, 0x44);
		put(c, 0x24);
		put(c, 0xf8);
		put_target(c, to, false);
		put(c, 0xff);
		put(c, 0x40 | call << 3 | 4);
		put(c, 0x24);
		put(c, random_below(4) ? 0xf8 : 0xf4 + random_below(8));
		break;
	case 5:		/* where no code can be */
		if (random_below(4))
			put_small(c, reg, 0);
		put(c, 0x48 | reg >> 3);
		put(c, 0x0f);
		put(c, 0xba);
		put(c, 0xe8 | (reg & 7));
		put(c, 48 + random_below(16));	/* bts reg, 48 .. 63 */
		put(c, 0x40 | reg >> 3);
		put(c, 0xff);
		put(c, 0xc0 | call << 3 | (reg & 7));
		break;
	}
}

static inline void put_end(struct random_code *c, unsigned block)
{
	unsigned to = random_block(block);

	switch (random_below(11)) {
	case 0:
		if (random_below(2))
			put_string(c);
		break;
	case 1: case 2: case 3:
		put(c, 0x0f);
		put(c, 0x80 | random_below(16));
		put_target(c, to, true);
		break;
	case 4:
		put(c, 0xe9);
		put_target(c, to, true);
		break;
	case 5: case 6:
		put(c, 0xe8);
		put_target(c, to, true);
		break;
	case 7:
		put_short_branch(c, to);
		break;
	case 8:		/* a return to somewhere */
		put(c, 0x68);
		put_target(c, to, false);
		if (random_below(3)) {
			put(c, 0xc3);
		} else {
			put(c, 0xc2);
			put(c, 8 * random_below(4));
			put(c, 0);
		}
		break;
	case 9:
		put(c, 0xc3);
		break;
	case 10:
		put_indirect(c, to);
		break;
	}
}

/* ---- programs ---------------------------------------------------------------------------- */

static inline void random_code_begin(struct random_code *c, uint64_t seed, uint8_t *memory)
{
	enum { HLT = 0xf4, GAP = 64 };

	memset(c, 0, sizeof(*c));
	random_state = seed * 0x9e3779b97f4a7c15u | 1;
	for (int i = 0; i < 8; i++)
		random64();
	c->wild = random_below(4) == 0;
	c->at = (uint8_t *)(uintptr_t)CODE;
	n_code_functions = 0;
	memset(c->at, HLT, CODE_BYTES);
	for (unsigned i = 0; i < CODE_BLOCKS; i++) {
		block_starts[i] = (uint32_t)(uintptr_t)c->at;
		((uint64_t *)(uintptr_t)TABLE)[i] = block_starts[i];
		if (!c->wild && random_below(3) == 0) {
			functions[n_code_functions].pc = block_starts[i];
			functions[n_code_functions++].n_args = random_below(TF_MAX_CALL_ARGS + 1);
		}
		for (unsigned n = random_below(6); n; n--)
			put_insn(c);
		put_end(c, i);
	}
	for (unsigned i = 0; i < c->n_jumps; i++) {
		uint32_t field = block_starts[c->jumps[i].block];

		if (c->jumps[i].relative)
			field -= (uint32_t)(uintptr_t)(c->jumps[i].field + 4);
		memcpy(c->jumps[i].field, &field, sizeof(field));
	}
	for (unsigned i = 0; i < 16; i++)
		c->registers[i] = is_small(i) ? random_below(32) :
				  i == ISA_RSP ? STACK : DATA + 256 + 8 * random_below(256);
	for (unsigned i = 0; i < DATA_BYTES; i += 8) {
		uint64_t value = DATA + 256 + 8 * random_below(256);

		if (random_below(4) == 0)
			value = block_starts[random_below(CODE_BLOCKS)];
		memcpy(memory + i, &value, 8);
	}
}

static inline void random_code_registers(const struct random_code *c, struct user_regs_struct *r)
{
	unsigned long long *to[16] = { &r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp,
				       &r->rsi, &r->rdi, &r->r8, &r->r9, &r->r10, &r->r11,
				       &r->r12, &r->r13, &r->r14, &r->r15 };

	for (unsigned i = 0; i < 16; i++)
		*to[i] = c->registers[i];
	r->eflags = 0x202;
}

#endif
