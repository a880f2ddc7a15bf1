/* SPDX-License-Identifier: MIT */
/* Checking and copying basic blocks. */
#include "path.h"

#include <stdlib.h>
#include <string.h>

#define RULE(condition, sentence) do { if (!(condition)) return sentence; } while (0)

static const char *check_insns(const struct tf_block *b)
{
	unsigned offset = 0, operand = 0;

	RULE(b->n_insns >= 1 && b->n_insns <= TF_MAX_BLOCK_INSNS, "a block has 1 to 256 instructions");
	RULE(b->n_operands <= TF_MAX_BLOCK_OPERANDS, "a block has too many operands");
	RULE(b->end <= TF_END_OPAQUE, "a block's end is of an unknown kind");
	for (unsigned i = 0; i < b->n_insns; i++) {
		const struct tf_insn *insn = &b->insns[i];

		RULE(insn->length >= 1 && insn->length <= TF_MAX_INSN_BYTES,
		     "an instruction has 1 to 15 bytes");
		RULE(insn->offset == offset, "instructions of a block do not follow each other");
		RULE(insn->flags <= (TF_INSN_REP | TF_INSN_OPAQUE), "unknown instruction flags");
		RULE(insn->first_operand == operand && operand + insn->n_operands <= b->n_operands,
		     "operands are not in the order of their instructions");
		offset += insn->length;
		operand += insn->n_operands;
	}
	RULE(offset == b->code_size, "the code size is not the sum of the instruction lengths");
	RULE(operand == b->n_operands, "an operand belongs to no instruction");
	return NULL;
}

static const char *check_operand(const struct tf_operand *o, const struct tf_insn *insn)
{
	bool rep = insn->flags & TF_INSN_REP;

	RULE(o->access >= 1 && o->access <= TF_PREFETCH,
	     "an operand loads, stores, does both, or prefetches");
	RULE(o->form <= TF_SIZED, "an operand is of an unknown form");
	RULE(o->flags <= (TF_IMPLICIT | TF_ADDRESS32), "unknown operand flags");
	RULE(o->segment <= TF_SEGMENT_GS, "an unknown segment");
	RULE((o->form == TF_REP) == rep, "the operands of a rep instruction, and no others, repeat");
	RULE((o->size != 0) == (o->form != TF_SIZED), "an operand's size is missing");
	if (o->form == TF_MASKED || o->form == TF_LANES)
		RULE(o->lanes >= 1 && o->lanes <= TF_MAX_LANES, "an operand has 1 to 64 lanes");
	else
		RULE(o->lanes == 0, "an operand without lanes has a number of lanes");
	if (o->form == TF_LANES) {
		RULE(o->index_size == 4 || o->index_size == 8, "a lane index has 4 or 8 bytes");
		RULE(o->scale && o->scale <= 8 && !(o->scale & (o->scale - 1)),
		     "a lane scale is 1, 2, 4 or 8");
	} else {
		RULE(o->index_size == 0 && o->scale == 0, "only lanes have an index");
	}
	return NULL;
}

static unsigned extras_of(const struct tf_operand *o)
{
	switch (o->form) {
	case TF_MASKED: case TF_SIZED: return 1;
	case TF_REP: return 3;
	case TF_LANES: return 1 + (o->lanes * o->index_size + 7) / 8;
	default: return 0;
	}
}

static void number_extras(struct tf_block *b, struct tf_operand *operands)
{
	unsigned next = b->n_operands;

	for (unsigned i = 0; i < b->n_operands; i++) {
		struct tf_operand *o = &operands[i];
		bool shared = o->form == TF_REP && i && operands[i - 1].insn == o->insn;

		if (shared) {
			o->extra = operands[i - 1].extra;
			continue;
		}
		o->extra = extras_of(o) ? (uint16_t)next : 0;
		next += extras_of(o);
	}
	b->n_values = (uint16_t)next;
}

static const char *check_extras(const struct tf_block *mine, const struct tf_block *his)
{
	RULE(mine->n_values == his->n_values, "the block's number of values is wrong");
	for (unsigned i = 0; i < mine->n_operands; i++)
		RULE(!extras_of(&mine->operands[i]) ||
		     mine->operands[i].extra == his->operands[i].extra,
		     "an operand's extras are misplaced");
	return NULL;
}

struct tf_block *block_compile(const struct tf_block *block, const char **why)
{
	size_t insns_size = block->n_insns * sizeof(struct tf_insn);
	size_t operands_size = block->n_operands * sizeof(struct tf_operand);
	struct tf_operand *operands;
	struct tf_insn *insns;
	struct tf_block *b;
	uint8_t *code;

	*why = check_insns(block);
	if (*why)
		return NULL;
	b = malloc(sizeof(*b) + insns_size + operands_size + block->code_size);
	if (!b)
		return NULL;
	operands = (struct tf_operand *)(b + 1);
	insns = (struct tf_insn *)((char *)operands + operands_size);
	code = (uint8_t *)insns + insns_size;
	*b = *block;
	b->operands = memcpy(operands, block->operands ? block->operands : operands, operands_size);
	b->insns = memcpy(insns, block->insns, insns_size);
	b->code = memcpy(code, block->code, block->code_size);
	for (unsigned i = 0; i < b->n_insns; i++)
		for (unsigned k = 0; k < insns[i].n_operands && !*why; k++) {
			operands[insns[i].first_operand + k].insn = (uint16_t)i;
			*why = check_operand(&operands[insns[i].first_operand + k], &insns[i]);
		}
	number_extras(b, operands);
	if (!*why && block->n_values)
		*why = check_extras(b, block);
	if (*why) {
		free(b);
		return NULL;
	}
	return b;
}
