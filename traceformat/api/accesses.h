/* SPDX-License-Identifier: MIT */
/* The single accesses of an operand: lanes, elements, repetitions. */
#ifndef TRACEFORMAT_API_ACCESSES_H
#define TRACEFORMAT_API_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/api/blocks.h"
#include "traceformat/api/cursor.h"
#include "traceformat/api/declarations.h"

TF_BEGIN_DECLARATIONS

/* The accesses of one operand execution: one, or one a repetition or active lane. */
struct tf_accesses {
	uint64_t address;                 /* virtual, of the current access */
	uint32_t size;                    /* bytes of the current access */
	const struct tf_operand *operand; /* private from here */
	const uint64_t *extra;
	uint64_t base, next, end;
};

/* Starts iterating over operand, an element of block->operands, of an execution with values. */
void tf_accesses_begin(struct tf_accesses *it, const struct tf_operand *operand,
		       const struct tf_block *block, const uint64_t *values);

/* Moves to the next access; false when there are no more. */
bool tf_accesses_next(struct tf_accesses *it);

/* All accesses of one block execution. */
struct tf_block_accesses {
	uint64_t address;                 /* virtual, of the current access */
	uint32_t size;                    /* bytes of the current access */
	const struct tf_operand *operand; /* whose access it is: load or store, which instruction */
	const struct tf_block_exec *exec; /* private from here */
	struct tf_accesses accesses;
	uint16_t next;
};

/*
 * Starts iterating over the accesses of exec, which must have values and outlive the iterator. The
 * operands follow each other in the order of their instructions; those of instructions that did not
 * execute are left out. A repeated movs gives all its loads, then all its stores.
 */
void tf_block_accesses_begin(struct tf_block_accesses *it, const struct tf_block_exec *exec);

/* Moves to the next access; false when there are no more. */
bool tf_block_accesses_next(struct tf_block_accesses *it);

/* Returns how many accesses the iterator would give: 1, repetitions, or active lanes. */
uint64_t tf_access_count(const struct tf_operand *operand, const uint64_t *values);

TF_END_DECLARATIONS

#endif
