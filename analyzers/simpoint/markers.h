/* SPDX-License-Identifier: MIT */
/*
 * Finds places of a program in a trace: markers, which are given by an address and its number of
 * executions, and calls of a function.
 */
#ifndef MARKERS_H
#define MARKERS_H

#include <stddef.h>
#include <stdlib.h>

#include "traceformat/traceformat.h"

struct marker {
	char *module;    /* name of its file without folder; NULL: only pc is known */
	char *build_id;  /* in hexadecimal; NULL or empty: not known */
	uint64_t offset; /* from the lowest address of the module */
	uint64_t pc;
	uint64_t count;   /* the execution that is meant, from 1; 0: none */
	uint64_t ordinal; /* of that execution, if it was found */
	bool found;
};

/*
 * Sets the addresses of markers that are in a module to those of that module in the trace, which
 * is known by its build-id or, if either has none, by its name. A marker whose module is not there
 * keeps its address.
 */
void markers_resolve(struct tf_reader *reader, struct marker **markers, size_t n);

static inline void marker_free(struct marker *marker)
{
	free(marker->module);
	free(marker->build_id);
}

/* Finds markers in the executions of a thread, or of all in their order (TF_MERGED), in which
 * ordinals are steps. Returns false after a message. */
bool markers_find(struct tf_reader *reader, uint32_t thread, struct marker **markers, size_t n);

/*
 * Finds where a thread (TF_MERGED: any, in the merged order) executes the first instruction of
 * a function for the nth time, from 1. *ordinal receives its ordinal, or step. Returns false
 * after a message: no such symbol, or not so many calls.
 */
bool symbol_find(struct tf_reader *reader, uint32_t thread, const char *name, uint64_t nth,
		 uint64_t *ordinal);

#endif
