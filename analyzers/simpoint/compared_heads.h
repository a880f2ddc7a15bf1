/* SPDX-License-Identifier: MIT */
/*
 * Heads of loops that two runs of a program execute: targets of direct branches backwards. A head
 * that both execute equally often is a marker that does not depend on timing.
 */
#ifndef COMPARED_HEADS_H
#define COMPARED_HEADS_H

#include "cli/common/tracereport.h"
#include "traceformat/tracesamples.h"

struct compared_head {
	char *place;            /* function, or MODULE+0xOFFSET */
	uint64_t executions[2]; /* by run */
};

struct compared_heads {
	struct compared_head *at; /* that the first run executed; most first */
	size_t n;
};

/*
 * Counts the executions of the first run's loop heads, over all threads, in the vectors of both.
 * jobs: threads that may decode, not 0. Returns a status, and sets *error. Ends the process if
 * memory is out.
 */
int compared_heads_compare(struct tf_reader *const readers[2], unsigned jobs,
			   struct compared_heads *heads, struct tf_error *error);
void compared_heads_free(struct compared_heads *heads);

/* Reports how many are equal, and a table of those that are executed most. */
void compared_heads_report(const struct compared_heads *heads, struct report *report);

#endif
