/* SPDX-License-Identifier: MIT */
/*
 * SBBT 1.0, the branch traces of MBPlib: a head of 24 bytes, then 16 bytes for each branch. A
 * branch has the number of instructions since the one before in 12 bits. A greater number is
 * spread over the branches that follow, so that the sum is right.
 */
#include <string.h>

#include "cli/export/block_template.h"
#include "cli/export/formats.h"

enum {
	CONDITIONAL = 1,
	INDIRECT = 2,
	RETURN = 4,
	CALL = 8,
	TAKEN_BIT = 11,
	ADDRESS_BIT = 12,
	MOST_SINCE = 4095,
};

struct sbbt {
	struct block_templates blocks;
	uint64_t instructions, branches;
	uint64_t since; /* instructions since the last branch that no record has counted */
};

static uint64_t opcode_of(uint8_t end)
{
	switch (end) {
	case TF_END_CONDITIONAL: return CONDITIONAL;
	case TF_END_INDIRECT_JUMP: return INDIRECT;
	case TF_END_RETURN: return INDIRECT | RETURN;
	case TF_END_CALL: return CALL;
	case TF_END_INDIRECT_CALL: return CALL | INDIRECT;
	default: return 0;
	}
}

static void count_sbbt(struct export_run *e, const struct linear_insn *insn)
{
	struct sbbt *s = e->state;

	s->instructions++;
	s->branches += linear_is_branch(insn);
}

static struct block_template *template_of(struct export_run *e, const struct tf_block *block)
{
	struct sbbt *s = e->state;

	if (!s->blocks.at)
		s->blocks = block_templates_new(e->reader);
	return &s->blocks.at[block->id];
}

/* Only the last instruction of a block is a branch. */
static bool count_block(struct export_run *e, const struct tf_block *block,
			__attribute__((unused)) const uint64_t *values,
			__attribute__((unused)) uint64_t ordinal)
{
	struct sbbt *s = e->state;

	if (!is_template_block(template_of(e, block), block))
		return false;
	s->instructions += block->n_insns - 1u;
	return true;
}

static void begin_sbbt(struct export_run *e)
{
	struct sbbt *s = e->state;
	struct {
		char magic[5];
		uint8_t version[3];
		uint64_t instructions, branches;
	} head = { "SBBT", { 1, 0, 0 }, s->instructions, s->branches };

	head.magic[4] = '\n';
	pack_write(e->out, &head, sizeof(head));
}

static void put_sbbt(struct export_run *e, const struct linear_insn *insn)
{
	struct sbbt *s = e->state;
	uint64_t target, words[2], since;

	s->since++;
	if (!linear_is_branch(insn))
		return;
	target = linear_target(insn);
	since = s->since < MOST_SINCE ? s->since : MOST_SINCE;
	e->lost[LOSS_DISTANCES] += since < s->since;
	e->lost[LOSS_SUCCESSORS] += !target;
	s->since -= since;
	words[0] = insn->pc << ADDRESS_BIT | (uint64_t)insn->taken << TAKEN_BIT |
		   opcode_of(insn->end);
	words[1] = target << ADDRESS_BIT | since;
	export_record(e, words, sizeof(words));
}

static bool put_block(struct export_run *e, const struct tf_block *block,
		      __attribute__((unused)) const uint64_t *values,
		      __attribute__((unused)) uint64_t ordinal)
{
	struct sbbt *s = e->state;

	if (!is_template_block(template_of(e, block), block))
		return false;
	s->since += block->n_insns - 1u;
	return true;
}

static void free_state(struct export_run *e)
{
	struct sbbt *s = e->state;

	block_templates_free(&s->blocks);
}

const struct exporter sbbt = {
	.name = "sbbt",
	.suffixes = ".gz, .xz, .zst",
	.summary = "SBBT 1.0: MBPlib",
	.state_size = sizeof(struct sbbt),
	.count = count_sbbt,
	.count_block = count_block,
	.begin = begin_sbbt,
	.insn = put_sbbt,
	.block = put_block,
	.free = free_state,
};
