/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/rules.h"

#include <stddef.h>

/* The opcode, and the prefixes that matter. */
struct opcode {
	const uint8_t *bytes;
	size_t length;
	uint8_t rep;    /* 0xf2, 0xf3 or 0 */
	bool operand16; /* 0x66 */
	bool unseen;    /* a prefix that exp-bbv does not step over */
};

static struct opcode opcode_of(const struct tf_block *block, const struct tf_insn *insn)
{
	struct opcode op = { .bytes = block->code + insn->offset, .length = insn->length };

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

static void classify_rep(const struct opcode *op, enum bbv_rules rules, struct bbv_special *special)
{
	uint8_t pair = op->bytes[0] & 0xfe;

	special->kind = BBV_REP;
	if (pair == 0xa6 || pair == 0xae) /* cmps, scas */
		special->condition = op->rep == 0xf2 ? 2 : 1;
	if (rules == BBV_EXP_BBV && pair == 0xac)
		special->kind = BBV_REP_LODS;
	else if (rules == BBV_EXP_BBV && op->unseen)
		special->kind = BBV_REP_UNSEEN;
}

bool bbv_classify(const struct tf_block *block, uint16_t index, enum bbv_rules rules,
		  struct bbv_special *special)
{
	const struct tf_insn *insn = &block->insns[index];
	const uint8_t *code = block->code + insn->offset;
	struct opcode op = opcode_of(block, insn);

	*special = (struct bbv_special){ .index = index };
	if (insn->flags & TF_INSN_REP && insn->n_operands) { /* else it has no extras */
		classify_rep(&op, rules, special);
		return true;
	}
	special->kind = BBV_FLDCW;
	if (is_fldcw(code, insn->length))
		return true;
	if (rules != BBV_EXP_BBV)
		return false;
	special->kind = BBV_VERBOSE;
	if (is_verbose(code, insn->length))
		return true;
	special->kind = BBV_RESTORES;
	if (is_0fae(&op, 1) || is_0fae(&op, 5)) /* fxrstor, xrstor */
		return true;
	special->kind = BBV_ENDS; /* pause, clflush */
	return (op.bytes[0] == 0x90 && op.rep == 0xf3) || is_0fae(&op, 7);
}

bool bbv_block_ends(const struct tf_block *block, enum bbv_rules rules)
{
	uint8_t opcode;

	switch (block->end) {
	case TF_END_NONE:
	case TF_END_OPAQUE: return false;
	case TF_END_CONDITIONAL:
		opcode = opcode_of(block, &block->insns[block->n_insns - 1]).bytes[0];
		/* loopne, loope, loop, jrcxz */
		return rules != BBV_EXP_BBV || !is_between(opcode, 0xe0, 0xe3);
	default: return true;
	}
}

uint64_t bbv_iterations(uint8_t condition, const uint64_t *extras)
{
	if (!extras || extras[0] == 0)
		return 1;
	bool zero = extras[2] & TF_REP_ZF;
	bool stopped = condition == 1 ? !zero : condition == 2 ? zero : false;

	uint64_t iterations = extras[1] + !(stopped || extras[2] & TF_REP_INTERRUPTED);

	return iterations ? iterations : 1;
}
