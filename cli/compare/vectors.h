/* SPDX-License-Identifier: MIT */
/*
 * The basic block vectors of a trace, whose dimensions are those of the other trace: a dimension is
 * a pair of functions and a hash of the block's code. The intervals of a thread follow those of the
 * thread before it, so that the order in which threads were recorded does not matter.
 */
#ifndef COMPARE_VECTORS_H
#define COMPARE_VECTORS_H

#include "cli/compare/match.h"

struct dimension {
	struct {
		uint64_t pair; /* of functions; COMPARE_NONE: of no function */
		uint64_t code;
	} key;
};

struct dimensions {
	/* clang-format off */
	HASH_TABLE(struct dimension);
	/* clang-format on */
};

/* The share of an interval's instructions that is in the blocks of a dimension. */
struct weight {
	uint32_t dimension;
	double share;
};

struct interval {
	uint32_t thread;
	uint64_t first;               /* instruction of the thread */
	uint64_t instructions;        /* whole paths: about as many as an interval has */
	ARRAY(struct weight) weights; /* by dimension, ascending */
};

struct intervals {
	ARRAY(struct interval);
};

/*
 * Reads the vectors of a trace. side: which result of the matching is that of the trace; interval:
 * instructions. Adds new dimensions. Returns false after a message if the trace cannot be read.
 */
bool read_intervals(struct intervals *intervals, const char *file, uint64_t interval,
		    const struct matching *matching, unsigned side, struct dimensions *dimensions);
void free_intervals(struct intervals *intervals);

/* Returns Manhattan's distance of two vectors / 2: the share of instructions in other blocks. */
double interval_distance(const struct interval *a, const struct interval *b);

#endif
