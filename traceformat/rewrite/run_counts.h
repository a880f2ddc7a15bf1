/* SPDX-License-Identifier: MIT */
/*
 * Counts how many instructions each run of a trace's schedule has in a new trace, whose streams
 * have only some of the old instructions.
 */
#ifndef RUN_COUNTS_H
#define RUN_COUNTS_H

#include "traceformat/reader/reader.h"

struct run_counts {
	uint64_t *at;     /* by run of the schedule: instructions in the new trace */
	uint32_t *next;   /* by run: the next one of the same thread, or TF_NONE */
	uint32_t *first;  /* by thread */
	uint64_t *behind; /* by thread: instructions in the new trace behind its last run */
};

/* Prepares *counts. Returns false if memory is out. */
bool run_counts_begin(const struct tf_reader *reader, struct run_counts *counts);

/* The place of one thread among its runs; begin with run_place(). */
struct run_place {
	uint32_t thread, run;
	uint64_t end;     /* ordinal in the old trace at which the run ends */
	uint64_t counted; /* instructions of the new trace in the runs before */
};
struct run_place run_place(const struct tf_reader *reader, const struct run_counts *counts,
			   uint32_t thread);

/*
 * Records that the thread has reached an ordinal in the old trace, and another one in the new
 * trace. Call it after each path execution, and behind the last one with UINT64_MAX for the old
 * ordinal.
 */
void run_counts_reach(const struct tf_reader *reader, struct run_counts *counts,
		      struct run_place *place, uint64_t old, uint64_t now);

void run_counts_free(struct run_counts *counts);

#endif
