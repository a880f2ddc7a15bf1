/* SPDX-License-Identifier: MIT */
/* The order of threads, from the times at which they began to run. */
#ifndef THREAD_ORDER_H
#define THREAD_ORDER_H

#include "cli/import/code_table.h"

struct thread_order {
	ARRAY(struct thread_run) runs;
};

struct thread_run {
	uint64_t time;
	uint64_t ordinal; /* of the thread's first instruction at that time */
	uint64_t count;
	uint32_t thread;
};

/* Begins a run. The runs of a thread follow each other, and their times do not decrease. */
void thread_order_begin(struct thread_order *order, uint32_t thread, uint64_t time,
			uint64_t ordinal);

/* Ends the last run of a thread, which has so many instructions. */
void thread_order_end(struct thread_order *order, uint32_t thread, uint64_t instructions);

/* Writes the order of threads; frees the runs. Equal times: in the order of threads. */
void thread_order_write(struct thread_order *order, struct code_table *code);

#endif
