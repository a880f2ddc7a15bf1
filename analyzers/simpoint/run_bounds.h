/* SPDX-License-Identifier: MIT */
/* Where the intervals of a vector run begin and end: instructions so far, and markers. */
#ifndef RUN_BOUNDS_H
#define RUN_BOUNDS_H

#include "analyzers/simpoint/regions.h"

/*
 * Reads the instructions of all threads before each of n intervals and behind the last into
 * starts and filtered, of n + 1 elements. each: recorded intervals in one. Returns 1, 0 if the
 * trace does not have the ends of its intervals, or -1 after a message.
 */
int run_starts_read(struct tf_reader *reader, uint64_t each, size_t n, uint64_t *starts,
		    uint64_t *filtered);

/*
 * Sets the markers of the bounds of n regions, whose bounds are the begins of intervals
 * (region.interval). jobs: threads that may decode, not 0. Returns false after a message.
 */
bool run_markers_find(struct tf_reader *reader, uint64_t each, struct region *regions, size_t n,
		      unsigned jobs);

#endif
