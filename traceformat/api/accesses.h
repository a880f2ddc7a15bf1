/* SPDX-License-Identifier: MIT */
/* The single accesses of an operand: lanes, elements, repetitions. */
#ifndef TRACEFORMAT_API_ACCESSES_H
#define TRACEFORMAT_API_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/api/blocks.h"
#include "traceformat/api/declarations.h"

TF_BEGIN_DECLARATIONS

/* The accesses of one operand execution: one, or one a repetition or active lane. */
struct tf_accesses {
	uint64_t address;	/* virtual, of the current access */
	uint32_t size;		/* bytes of the current access */
	const struct tf_operand *operand;	/* private from here */
	const uint64_t *extra;
	uint64_t base, next, end;
};

/* Starts iterating over operand, an element of block->operands, of an execution with values. */
void tf_accesses_begin(struct tf_accesses *it, const struct tf_operand *operand,
		       const struct tf_block *block, const uint64_t *values);

/* Moves to the next access; false when there are no more. */
bool tf_accesses_next(struct tf_accesses *it);

/* Returns how many accesses the iterator would give: 1, repetitions, or active lanes. */
uint64_t tf_access_count(const struct tf_operand *operand, const uint64_t *values);

TF_END_DECLARATIONS

#endif
