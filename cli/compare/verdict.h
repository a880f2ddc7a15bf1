/* SPDX-License-Identifier: MIT */
/* Whether the second trace costs more than the first one than it may. */
#ifndef COMPARE_VERDICT_H
#define COMPARE_VERDICT_H

#include "cli/compare/match.h"

/* A limit of the growth of a metric. */
struct limit {
	struct metric metric;
	bool is_share;   /* of the first trace's total */
	double share;    /* 0.01 for 1% */
	uint64_t count;  /* else */
	bool is_for_all; /* of the metrics; one for a metric takes its place */
	const char *text;
	size_t length; /* of the text, as the user wrote it */
};

struct limits {
	ARRAY(struct limit);
};

/*
 * Parses "1%,misses:32Ki:5%,loads:1000": a limit for all metrics of a list, or for one, which takes
 * the place of the first one. Returns NULL, or why the text is refused. The text must outlive the
 * limits.
 */
const char *parse_limits(const char *text, const struct metrics *metrics, struct limits *limits);

/* A value that grew by more than its limit allows. */
struct excess {
	const struct limit *limit;
	uint32_t pair; /* of functions, or COMPARE_NONE: the total */
	uint64_t values[2];
};

struct verdict {
	ARRAY(struct excess) excesses;
};

/*
 * Checks the totals against `limits`, and the exclusive values of each function against
 * `by_function`. Returns false after a message if a result does not have a metric. The limits must
 * outlive the verdict.
 */
bool judge(struct verdict *verdict, const struct matching *matching, const struct limits *limits,
	   const struct limits *by_function);

/* Prints a message for each excess, with the function that grew most. */
void explain_verdict(const struct verdict *verdict, const struct matching *matching);

/* Returns an exclusive value of a pair's function in a trace; 0 if it is not there. */
uint64_t value_of_pair(const struct matching *matching, uint32_t pair, unsigned side,
		       const struct metric *metric);

#endif
