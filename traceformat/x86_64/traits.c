/* SPDX-License-Identifier: MIT */
/* isa_traits: facts of an encoding that no decoder gives, for tools that look at single bytes. */
#include "traceformat/traceisa.h"

/* The opcode, and the prefixes that matter. */
struct opcode {
	const uint8_t *bytes;
	size_t length;
	uint8_t rep;    /* 0xf2, 0xf3 or 0 */
	bool operand16; /* 0x66 */
	bool unseen;    /* a prefix that exp-bbv does not step over */
};

static struct opcode opcode_of(const uint8_t *code, size_t length)
{
	struct opcode op = { .bytes = code, .length = length };

	for (; op.length > 1; op.bytes++, op.length--)
		switch (*op.bytes) {
		case 0xf2:
		case 0xf3: op.rep = *op.bytes; break;
		case 0x66: op.operand16 = true; break;
		case 0x67:
		case 0x48: break;
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x26:
		case 0x64:
		case 0x65:
		case 0xf0:
		case 0x40 ... 0x47:
		case 0x49 ... 0x4f: op.unseen = true; break;
		default: return op;
		}
	return op;
}

static bool is_between(uint8_t value, uint8_t first, uint8_t last)
{
	return value >= first && value <= last;
}

/*
 * Returns true for fused multiply-add and 256-bit vpmulhrsw, which were found by trying every
 * opcode.
 */
static bool is_verbose(const uint8_t *code, size_t length)
{
	if (length < 5 || code[0] != 0xc4 || (code[1] & 0x1f) != 2 || (code[2] & 3) != 1)
		return false;
	if (code[3] == 0x0b)
		return code[2] & 4;
	return is_between(code[3] & 0xf, 6, 0xf) && is_between(code[3] >> 4, 9, 0xb);
}

/* Returns true for fldcw without any prefix; exp-bbv counts no others. */
static bool is_fldcw(const uint8_t *code, size_t length)
{
	return length > 1 && code[0] == 0xd9 && code[1] < 0xb0 && (code[1] & 0x38) == 0x28;
}

/* Returns true for 0f ae /number with an operand in memory. */
static bool is_0fae(const struct opcode *op, unsigned number)
{
	return op->length > 2 && op->bytes[0] == 0x0f && op->bytes[1] == 0xae && !op->operand16 &&
	       (op->bytes[2] >> 3 & 7) == number && op->bytes[2] < 0xc0;
}

static unsigned rep_traits(const struct opcode *op)
{
	uint8_t pair = op->bytes[0] & 0xfe;
	unsigned traits = op->unseen ? ISA_TRAIT_PREFIX : 0;

	if (pair == 0xa6 || pair == 0xae) /* cmps, scas */
		traits |= op->rep == 0xf2 ? ISA_TRAIT_REPNE : ISA_TRAIT_REPE;
	return traits | (pair == 0xac ? ISA_TRAIT_LODS : 0);
}

unsigned isa_traits(const uint8_t *code, size_t length)
{
	struct opcode op = opcode_of(code, length);
	unsigned traits = 0;

	if (op.rep && is_between(op.bytes[0], 0xa4, 0xaf))
		traits |= rep_traits(&op);
	if (is_fldcw(code, length))
		traits |= ISA_TRAIT_FLDCW;
	if (is_verbose(code, length))
		traits |= ISA_TRAIT_VERBOSE;
	if (is_0fae(&op, 1) || is_0fae(&op, 5)) /* fxrstor, xrstor */
		traits |= ISA_TRAIT_RESTORES;
	if ((op.bytes[0] == 0x90 && op.rep == 0xf3) || is_0fae(&op, 7)) /* pause, clflush */
		traits |= ISA_TRAIT_ENDS;
	if (is_between(op.bytes[0], 0xe0, 0xe3)) /* loopne, loope, loop, jrcxz */
		traits |= ISA_TRAIT_LOOP;
	return traits;
}
