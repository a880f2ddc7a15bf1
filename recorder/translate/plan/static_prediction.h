/* SPDX-License-Identifier: MIT */
/* Where a program will most likely go on, by what its code looks like. */
#ifndef STATIC_PREDICTION_H
#define STATIC_PREDICTION_H

#include "recorder/program/code_block.h"

enum { PREDICTION_CALLS = 16 };

/* What is known of the way so far: where its calls will return to. Zeroed at its beginning. */
struct prediction {
	unsigned depth;
	uint64_t returns[PREDICTION_CALLS];
};

/*
 * The block has been added to the way: returns the address of the one behind it, or 0: it is not
 * known. Branches backward are loops that go on (taken), those forward are not taken.
 */
uint64_t predict_next(struct prediction *prediction, const struct code_block *block);

/* Where in memory the target is of the indirect jump or call that the block ends with, as from a
 * procedure linkage table; 0: it does not tell. */
uint64_t predict_pointer(const struct code_block *block);

#endif
