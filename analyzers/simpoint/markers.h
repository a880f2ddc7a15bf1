/* SPDX-License-Identifier: MIT */
/*
 * Markers: places of a program given by an address and its number of executions. Finds them in a
 * trace.
 */
#ifndef MARKERS_H
#define MARKERS_H

#include <stddef.h>

#include "traceformat/traceformat.h"

struct marker {
	uint64_t pc;
	uint64_t count;   /* the execution that is meant, from 1; 0: none */
	uint64_t ordinal; /* of that execution, if it was found */
	bool found;
};

/* Finds markers in the executions of a thread, or of all in their order (TF_MERGED). Returns false
 * after a message. */
bool markers_find(struct tf_reader *reader, uint32_t thread, struct marker **markers, size_t n);

#endif
