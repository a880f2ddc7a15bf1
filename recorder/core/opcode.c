/* SPDX-License-Identifier: MIT */
#include "recorder/core/opcode.h"

#include <string.h>

enum { ADDRESS_SIZE = 0x67 };

/* Without a call, because each instruction is looked at several times. */
static bool is_prefix(uint8_t byte)
{
	enum { REX = 0x40, REX_BITS = 0xf0 };

	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case ADDRESS_SIZE:
	case 0xf2:
	case 0xf3: return true;
	default: return (byte & REX_BITS) == REX;
	}
}

unsigned opcode_prefixes(const uint8_t *code, unsigned length)
{
	unsigned n = 0;

	while (n + 1 < length && is_prefix(code[n]))
		n++;
	return n;
}

bool opcode_is(const uint8_t *code, unsigned length, uint8_t opcode)
{
	return opcode_prefixes(code, length) == length - 1 && code[length - 1] == opcode;
}

bool opcode_hides_step(const uint8_t *code, unsigned length)
{
	enum {
		TWO_BYTES = 0x0f,
		MOV_TO_SEGMENT = 0x8e,
		SS = 2,
		REG = 070,
		STR = 1,
		SIDT = 1,
		SMSW = 4,
		MOD_3 = 0300
	};
	const unsigned n = opcode_prefixes(code, length);
	unsigned modrm, reg;

	if (length >= n + 2 && code[n] == MOV_TO_SEGMENT)
		return (code[n + 1] & REG) >> 3 == SS;
	if (length < n + 3 || code[n] != TWO_BYTES || code[n + 1] > 1)
		return false;
	modrm = code[n + 2];
	reg = (modrm & REG) >> 3;
	if (code[n + 1] == 0) /* group 6: sldt, str */
		return reg <= STR;
	/* group 7; in register form, 0 and 1 are other instructions */
	return reg == SMSW || (reg <= SIDT && modrm < MOD_3);
}

/* Returns true if a displacement follows n bytes of opcode. */
static bool is_branch(const uint8_t *code, size_t available, unsigned *opcode, unsigned *field)
{
	enum {
		TWO_BYTES = 0x0f,
		SHORT_JCC = 0x7,
		JCC = 0x8,
		CALL = 0xe8,
		JMP = 0xe9,
		SHORT_JMP = 0xeb,
		SHORT = 1,
		NEAR = 4
	};

	*opcode = available > 1 && code[0] == TWO_BYTES ? 2 : 1;
	*field = NEAR;
	if (*opcode == 2)
		return code[1] >> 4 == JCC;
	if (!available)
		return false;
	if (code[0] == CALL || code[0] == JMP)
		return true;
	*field = SHORT;
	return code[0] >> 4 == SHORT_JCC || code[0] == SHORT_JMP;
}

bool opcode_branch(const uint8_t *code, size_t available, uint64_t pc, struct opcode_branch *b)
{
	unsigned opcode, field;
	int32_t near;

	if (!is_branch(code, available, &opcode, &field) || available < opcode + field)
		return false;
	if (field == sizeof(near))
		memcpy(&near, code + opcode, sizeof(near));
	else
		near = (int8_t)code[opcode];
	b->number = opcode == 1 ? code[0] : 256 + (code[1] & 0xf);
	b->length = opcode + field;
	b->target = pc + b->length + (uint64_t)(int64_t)near;
	return true;
}

/* Returns whether a jcc is taken; condition is the low four bits of its opcode. */
static bool condition_holds(unsigned condition, uint64_t flags)
{
	enum { CF = 1, PF = 4, ZF = 0x40, SF = 0x80, OF = 0x800 };
	bool carry = flags & CF, zero = flags & ZF, sign = flags & SF, overflow = flags & OF;
	const bool holds[] = { /* the odd conditions are the negations */
			       overflow,
			       carry,
			       zero,
			       carry || zero,
			       sign,
			       flags & PF,
			       sign != overflow,
			       zero || sign != overflow
	};

	return holds[condition >> 1 & 7] != (condition & 1);
}

bool opcode_branch_taken(const uint8_t *code, unsigned length, const struct user_regs_struct *regs)
{
	enum { LOOPNE = 0xe0, LOOPE, LOOP, JRCXZ, TWO_BYTES = 0x0f, JCC = 0x7, JCC_LONG = 0x8 };
	const unsigned n = opcode_prefixes(code, length);
	bool zero = condition_holds(4, regs->eflags);
	uint64_t count = memchr(code, ADDRESS_SIZE, n) ? (uint32_t)regs->rcx : regs->rcx;

	switch (code[n]) {
	case LOOPNE: return count && !zero;
	case LOOPE: return count && zero;
	case LOOP: return count;
	case JRCXZ: return !count;
	case TWO_BYTES:
		return code[n + 1] >> 4 == JCC_LONG && condition_holds(code[n + 1], regs->eflags);
	}
	return code[n] >> 4 == JCC && condition_holds(code[n], regs->eflags);
}
