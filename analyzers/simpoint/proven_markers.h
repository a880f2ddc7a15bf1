/* SPDX-License-Identifier: MIT */
/*
 * Markers that another run has proven: an instruction that two runs of a program execute equally
 * often is one whose executions do not depend on timing, as those of waiting and of sharing out
 * work do.
 */
#ifndef PROVEN_MARKERS_H
#define PROVEN_MARKERS_H

#include "analyzers/simpoint/selection.h"
#include "traceformat/traceformat.h"

struct proven_markers {
	size_t n; /* intervals */
	bool *at; /* n + 1, by interval and for the end: its begin has a proven marker, or none */
	size_t known; /* bounds with markers */
	size_t failed;
};

/*
 * Compares how often two runs, which recorded vectors, execute the instructions at which the n
 * intervals of the first one begin and end. each: recorded intervals in one. jobs: threads that may
 * decode, not 0. Returns false after a message.
 */
bool proven_markers_find(struct tf_reader *reader, struct tf_reader *other, uint64_t each, size_t n,
			 unsigned jobs, struct proven_markers *proven);
void proven_markers_free(struct proven_markers *proven);

/*
 * Returns the index of the module in a trace that is the same file, by build-id or name; TF_NONE:
 * there is none.
 */
uint32_t find_same_module(const struct tf_reader *reader, const struct tf_module *module);

/*
 * Moves points to intervals of the same cluster whose bounds are proven, by select_key the first
 * that have no point yet, so that points drawn by chance stay such. Returns the number of points
 * that have no such interval, and stay.
 */
unsigned proven_markers_prefer(const struct proven_markers *proven, struct selection *selection);

#endif
