/* SPDX-License-Identifier: MIT */
/*
 * Counts how often the instructions at which intervals end were executed: a marker's count is not
 * in the file, as it follows from the vectors. An instruction may be in several blocks.
 */
#ifndef MARKER_COUNTS_H
#define MARKER_COUNTS_H

#include "traceformat/reader/reader.h"

struct marker_counts;

/* Finds the markers of all intervals. Errors: IO, MEMORY, DAMAGED. */
int marker_counts_open(struct tf_reader *reader, struct marker_counts **counts,
		       struct tf_error *error);

/*
 * Adds the vectors of the interval, the one after the last, and sets its marker's count. Returns 1,
 * or a negative status if the vectors do not add up to the interval or sections are missing; it
 * then fails for ever.
 */
int marker_counts_follow(struct marker_counts *counts, struct tf_interval *interval,
			 struct tf_error *error);

/* Makes all further calls fail: an interval is unknown. */
void marker_counts_fail(struct marker_counts *counts);

/* Checks that no vector is left behind the last interval. Returns 0 or a negative status. */
int marker_counts_end(struct marker_counts *counts, struct tf_error *error);

void marker_counts_close(struct marker_counts *counts);

#endif
