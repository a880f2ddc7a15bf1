/* SPDX-License-Identifier: MIT */
/*
 * Lists the executions and events that a cursor over a random trace must return, one by one, and
 * compares them with the items that the cursor does return.
 */
#ifndef TRACE_TRUTH_H
#define TRACE_TRUTH_H

#include "tests/unit/traces/random/random_trace.h"

/* An execution (of a path, a block or an instruction, depending on the view), or an event. */
struct truth_item {
	const struct tf_event *event; /* NULL: an execution */
	uint32_t thread;
	uint64_t ordinal;  /* of its first instruction */
	uint32_t executed; /* instructions; 0: event */
	const struct random_exec *exec;
	const struct tf_block *block; /* not for TF_VIEW_PATHS */
	const uint64_t *values;       /* of the block */
	uint16_t insn;                /* TF_VIEW_INSNS */
	uint8_t outcome;
};

struct truth {
	VECTOR(struct truth_item) items;
};

/* Lists the items that a reader of one thread must return. */
struct truth truth_thread(const struct random_trace *t, uint32_t thread, enum tf_view view,
			  unsigned columns);

/*
 * Lists the items in merged order: run after run of the schedule, then the remaining items thread
 * by thread. A run ends with the events that belong to its last instruction.
 */
struct truth truth_merged(const struct random_trace *t, enum tf_view view, unsigned columns);

/* Finds the part [*from, *to) of the list that a cursor with `first` and `count` returns. */
void truth_range(const struct truth *truth, uint64_t first, uint64_t count, size_t *from,
		 size_t *to);

/* Writes an event as text, with all of its fields. */
void truth_event_text(const struct tf_event *e, char *text, size_t size);

bool truth_event_same(const struct tf_event *a, const struct tf_event *b);

/* Returns whether execution i of the batch is the expected one. */
bool truth_same(const struct truth_item *truth, const struct tf_item *item, size_t i,
		unsigned columns);

/*
 * Reads a cursor to its end and compares. Returns true if the cursor returns exactly the list's
 * part [from, to); otherwise describes the difference in *why.
 */
bool truth_cursor(struct tf_cursor *cursor, const struct truth *truth, size_t from, size_t to,
		  unsigned columns, char *why, size_t why_size);

/* Adds the totals of a thread to *sum, block by block. */
void truth_totals(const struct random_trace *t, uint32_t thread, struct tf_totals *sum);

#endif
