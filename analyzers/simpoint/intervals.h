/* SPDX-License-Identifier: MIT */
/*
 * Finds the places in a trace where the intervals of basic block vectors begin and end.
 *
 * The first interval begins behind the warm-up, if the trace is a slice that has one.
 *
 * COUNTER_EXACT: interval i is the retired instructions i * size .. (i + 1) * size - 1 of those.
 * COUNTER_EXP_BBV: as Valgrind's exp-bbv counts (bbv.h): an interval ends with the instruction that
 * makes its length greater than the size, an instruction that faults counts, and a rep instruction
 * counts with the instruction after it.
 */
#ifndef INTERVALS_H
#define INTERVALS_H

#include "cli/common/checked.h"
#include "traceformat/traceformat.h"

enum counter { COUNTER_EXP_BBV, COUNTER_EXACT };

/*
 * Interval first + k, up to that of the next ends, ends before the instruction ordinal + k * step.
 */
struct interval_ends {
	uint64_t first, ordinal, step;
};

struct intervals {
	uint64_t n;                       /* whole intervals */
	uint64_t first;                   /* the ordinal at which interval 0 begins */
	uint64_t size;                    /* instructions in each; 0: see ends */
	ARRAY(struct interval_ends) ends; /* if sizes differ; ascending */
};

/* Returns the size of the intervals of the basic block vectors that a trace has instead of
 * executions, in instructions; 0: it has executions. */
uint64_t intervals_recorded(struct tf_reader *reader);

/*
 * Finds the intervals of a thread. Of recorded vectors, `size` is a multiple of their interval, and
 * the last interval counts as unfinished. path: of the trace, for messages. Returns false after a
 * message.
 */
bool intervals_find(struct tf_reader *reader, const char *path, uint32_t thread, uint64_t size,
		    enum counter counter, struct intervals *intervals);
/* Appends an interval that ends before the instruction `ordinal`. */
void intervals_append(struct intervals *intervals, uint64_t ordinal);
void intervals_clear(struct intervals *intervals);

/* Returns the ordinal at which interval i begins, and interval i - 1 ends; i: 0 to n. */
uint64_t interval_start(const struct intervals *intervals, uint64_t i);

/* Gives each item of a replay to use. Returns false after a message. */
bool replay_items(struct tf_reader *reader, const struct tf_cursor_options *options,
		  void (*use)(void *opaque, const struct tf_item *item), void *opaque);

#endif
