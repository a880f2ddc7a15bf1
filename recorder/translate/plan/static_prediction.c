/* SPDX-License-Identifier: MIT */
/*
 * Chooses the successors of blocks from their code: loops continue, calls return to the instruction
 * after them, and an entry of a linkage table leads to where its pointer points now.
 */
#include "recorder/translate/plan/static_prediction.h"

#include <string.h>

static uint64_t behind(const struct code_block *b)
{
	return b->trace.pc + b->trace.code_size;
}

static void push(struct prediction *f, uint64_t pc)
{
	f->returns[f->depth++ % PREDICTION_CALLS] = pc;
}

uint64_t predict_next(struct prediction *f, const struct code_block *b)
{
	switch ((enum tf_end)b->trace.end) {
	case TF_END_CALL: push(f, behind(b)); return b->trace.target;
	case TF_END_JUMP: return b->trace.target;
	case TF_END_NONE: return behind(b);
	case TF_END_CONDITIONAL: return b->trace.target > behind(b) ? behind(b) : b->trace.target;
	case TF_END_INDIRECT_CALL: push(f, behind(b)); return 0;
	case TF_END_RETURN: return f->depth ? f->returns[--f->depth % PREDICTION_CALLS] : 0;
	default: return 0;
	}
}

uint64_t predict_pointer(const struct code_block *b)
{
	unsigned last = b->trace.n_insns - 1u, offset = b->trace.insns[last].offset;
	const struct isa_effects *e = b->effects[last];
	int32_t displacement;

	if ((b->trace.end != TF_END_INDIRECT_JUMP && b->trace.end != TF_END_INDIRECT_CALL) ||
	    !e->rip_field)
		return 0;
	memcpy(&displacement, b->trace.code + offset + e->rip_field, sizeof(displacement));
	return behind(b) + (uint64_t)(int64_t)displacement;
}
