/* SPDX-License-Identifier: MIT */
/* Differences between two traces that come from how they were recorded. */
#ifndef COMPARE_RECORDING_H
#define COMPARE_RECORDING_H

#include "cli/compare/result.h"

struct recording_difference {
	const char *fact; /* a name of trace-info's JSON */
	char *values[2];  /* NULL: the trace does not say */
};

struct recording_differences {
	ARRAY(struct recording_difference);
};

/*
 * Returns how the recordings differ: options, versions, processors, ends, losses. A trace that is
 * not complete is a difference even if the other one is neither.
 */
struct recording_differences compare_recordings(const struct result *results);
void recording_differences_free(struct recording_differences *differences);

#endif
