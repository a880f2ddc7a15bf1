/* SPDX-License-Identifier: MIT */
/* All that was compared, for the views of it. */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include "cli/compare/advice.h"
#include "cli/compare/call_paths.h"
#include "cli/compare/distance.h"
#include "cli/compare/recording.h"
#include "cli/compare/verdict.h"

/* The parts of a comparison. */
struct comparison {
	const struct metrics *metrics; /* the first one orders functions and paths */
	const struct matching *matching;
	const struct path_pairs *paths;    /* NULL: not compared, as all below */
	const struct intervals *intervals; /* two */
	const struct alignment *alignment;
	const struct advice_pairs *advice;
	const struct recording_differences *recordings;
	const struct verdict *verdict;
	uint64_t top;        /* rows of a table of text */
	struct texts *texts; /* keeps names of columns as long as the report needs them */
};

#endif
