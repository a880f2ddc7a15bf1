/* SPDX-License-Identifier: MIT */
/* Reads the intervals of a vector run in batches, so that several cores can work on them. */
#ifndef RUN_BATCHES_H
#define RUN_BATCHES_H

#include "analyzers/simpoint/vector_run.h"
#include "traceformat/common/array.h"

enum { BATCH_ROWS = 256, BATCH_PART = 16 /* rows of a task */ };

/* Some intervals in order, valid during the call that has them as argument. */
struct run_batch {
	size_t first; /* number of the first interval */
	size_t n;
	struct bb_row rows[BATCH_ROWS];
	uint64_t ends[BATCH_ROWS]; /* see struct run_interval */
};

/*
 * The batches of a run that does not need too much memory, so that it is read only once. Zeroed, it
 * is empty.
 */
struct run_cache {
	ARRAY(struct run_batch *) batches;
	uint64_t n_pairs;
	bool is_whole; /* it has the whole run */
	bool too_much; /* it never will */
};

/* More pairs than that, of 12 bytes, are not kept. */
enum { MOST_CACHED_PAIRS = 100 << 20 };

/* Gives all intervals of the run to `use`, from the first one on. Returns false after a message. */
bool run_each_batch(struct vector_run *run, struct run_cache *cache,
		    void (*use)(void *opaque, const struct run_batch *batch), void *opaque);
void run_cache_free(struct run_cache *cache);

#endif
