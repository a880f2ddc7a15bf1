/* SPDX-License-Identifier: MIT */
/* The first pass over a trace: finds the records that its executions and events refer to. */
#ifndef USE_H
#define USE_H

#include "cli/anonymise/page_set.h"
#include "cli/anonymise/paths.h"

/* How far apart the lanes of an operand are. */
struct lanes_use {
	uint64_t key;    /* address of the struct tf_operand */
	uint64_t spread; /* bytes, from the lowest active lane to the highest */
	bool crosses;    /* the active lanes are not all in one page */
};

struct use {
	const struct paths *paths;
	bool *exits;                          /* by exit id: an execution left by it */
	bool *mappings, *functions, *regions; /* by index: an event names it */
	uint64_t first_time;                  /* least time of an event, ns; UINT64_MAX: none */
	struct page_set touched;
	HASH_TABLE(struct lanes_use) lanes;
	bool without_values; /* the accesses are not looked at */
};

/*
 * Reads all executions and events, with so many threads. Fails on any damage. Returns 0 or a
 * negative status with *error.
 */
int use_find(struct tf_reader *reader, const struct paths *paths, bool without_values,
	     unsigned jobs, struct use *use, struct tf_error *error);
void use_free(struct use *use);

#endif
