/* SPDX-License-Identifier: MIT */
/* Merges files of partial results of one trace into one state. */
#ifndef MERGE_PARTS_H
#define MERGE_PARTS_H

#include "analyzers/common/part_state.h"
#include "analyzers/common/partial.h"

struct merge_parts {
	const struct replay *replay;       /* its first and count are set */
	const struct partial_head *expect; /* facts that all files must have; ranges: everything */
	uint32_t thread;
	const char *const *paths; /* of the files, in any order */
	size_t n_paths;
	bool incomplete; /* parts may be missing */
	bool several;    /* the result is a part, too, so it may be one in the middle */

	/* Results. */
	struct part_ranges ranges; /* that the files cover */
	bool damaged;              /* in a part something could not be read, or parts are missing */
};

/*
 * Merges the files into states that have been started. Refuses files of other traces, options or
 * versions, overlapping parts and, unless merge->incomplete, missing ones, with the names of the
 * files or of the parts to be made again; equal parts count once. At most two states are in memory.
 * Returns 0 or an exit code, after a message. Free merge->ranges in either case.
 */
int merge_parts(struct merge_parts *merge, struct part_state *state);

#endif
