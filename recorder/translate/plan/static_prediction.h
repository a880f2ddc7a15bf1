/* SPDX-License-Identifier: MIT */
/* Predicts where a program will most likely continue, from its code. */
#ifndef STATIC_PREDICTION_H
#define STATIC_PREDICTION_H

#include "recorder/program/code_block.h"

enum { PREDICTION_CALLS = 16 };

/* The return addresses of the calls so far. Zeroed at the start. */
struct prediction {
	unsigned depth;
	uint64_t returns[PREDICTION_CALLS];
};

/*
 * Follows a block, and returns the address of its most likely successor, or 0 if that is unknown.
 * Backward branches are predicted as taken, as loops continue, and forward branches as not taken.
 */
uint64_t predict_next(struct prediction *prediction, const struct code_block *block);

/* Returns the address of the memory operand that holds the target of the block's indirect jump or
 * call, as in a procedure linkage table, or 0 if that is unknown. */
uint64_t predict_pointer(const struct code_block *block);

#endif
