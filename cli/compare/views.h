/* SPDX-License-Identifier: MIT */
/* The comparison as a report. */
#ifndef COMPARE_VIEWS_H
#define COMPARE_VIEWS_H

#include "cli/common/tracereport.h"
#include "cli/compare/advice.h"
#include "cli/compare/call_paths.h"
#include "cli/compare/distance.h"
#include "cli/compare/recording.h"
#include "cli/compare/verdict.h"

/* What was compared. */
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

/* Writes the report's parts. The comparison must outlive the report. */
void view_comparison(const struct comparison *comparison, struct report *report);

#endif
