/* SPDX-License-Identifier: MIT */
/* Iterates over the accesses that one execution of an operand makes. */
#include "traceformat/traceformat.h"

static uint64_t lane_mask(const struct tf_operand *o, uint64_t mask)
{
	return mask & UINT64_MAX >> (64 - o->lanes);
}

uint64_t tf_access_count(const struct tf_operand *o, const uint64_t *values)
{
	switch (o->form) {
	case TF_MASKED:
	case TF_LANES: return (uint64_t)__builtin_popcountll(lane_mask(o, values[o->extra]));
	case TF_REP: return values[o->extra + 1];
	default: return 1;
	}
}

void tf_accesses_begin(struct tf_accesses *it, const struct tf_operand *operand,
		       const struct tf_block *block, const uint64_t *values)
{
	*it = (struct tf_accesses){
		.operand = operand,
		.size = operand->size,
		.base = values[operand - block->operands],
		.extra = values + operand->extra,
		.end = 1,
	};
	if (operand->form == TF_REP)
		it->end = it->extra[1];
	else if (operand->form == TF_SIZED)
		it->size = it->extra[0] > UINT32_MAX ? UINT32_MAX : (uint32_t)it->extra[0];
	else if (operand->form == TF_MASKED || operand->form == TF_LANES)
		it->end = lane_mask(operand, it->extra[0]);
}

static uint64_t lane_address(const struct tf_accesses *it, unsigned lane)
{
	const struct tf_operand *o = it->operand;
	uint64_t index, address;

	if (o->form == TF_MASKED)
		return it->base + (uint64_t)lane * o->size;
	index = o->index_size == 8
			? it->extra[1 + lane]
			: (uint64_t)(int64_t)(int32_t)(it->extra[1 + lane / 2] >> lane % 2 * 32);
	address = it->base + index * o->scale;
	return o->flags & TF_ADDRESS32 ? (uint32_t)address : address;
}

/* For repetitions, `next` counts them; for lanes, `end` is the mask of the lanes still to come. */
bool tf_accesses_next(struct tf_accesses *it)
{
	const struct tf_operand *o = it->operand;

	if (o->form == TF_MASKED || o->form == TF_LANES) {
		if (!it->end)
			return false;
		it->address = lane_address(it, (unsigned)__builtin_ctzll(it->end));
		it->end &= it->end - 1;
		return true;
	}
	if (it->next == it->end)
		return false;
	it->address = it->base;
	if (o->form == TF_REP)
		it->address += it->extra[2] & TF_REP_DOWN ? -(it->next * o->size)
							  : it->next * o->size;
	it->next++;
	return true;
}

void tf_block_accesses_begin(struct tf_block_accesses *it, const struct tf_block_exec *exec)
{
	*it = (struct tf_block_accesses){ .exec = exec };
}

/* Moves to the next operand that has executed. */
static bool next_operand(struct tf_block_accesses *it)
{
	const struct tf_block *block = it->exec->block;

	it->operand = &block->operands[it->next];
	if (it->next == block->n_operands || it->operand->insn >= it->exec->executed)
		return false;
	it->next++;
	tf_accesses_begin(&it->accesses, it->operand, block, it->exec->values);
	return true;
}

bool tf_block_accesses_next(struct tf_block_accesses *it)
{
	while (!it->next || !tf_accesses_next(&it->accesses))
		if (!next_operand(it))
			return false;
	it->address = it->accesses.address;
	it->size = it->accesses.size;
	return true;
}
