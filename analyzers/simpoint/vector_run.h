/* SPDX-License-Identifier: MIT */
/*
 * The basic block vectors that a trace has instead of executions, interval by interval. Vectors may
 * be more than memory has room for, so they are read again for each use.
 *
 * A dimension is a block of the control flow graph (see leaders.h), in a thread if those are
 * distinguished. Blocks are known by module and offset.
 */
#ifndef VECTOR_RUN_H
#define VECTOR_RUN_H

#include "analyzers/simpoint/bb_file.h"
#include "traceformat/traceformat.h"

/* How the vectors of the threads make one. */
enum thread_vectors {
	THREADS_CONCATENATED, /* side by side by the threads' numbers, as LoopPoint does */
	THREADS_SUM,          /* blocks of all threads are one */
	THREADS_SORTED,       /* side by side by the instructions in the interval, most first */
};

struct vector_run_options {
	uint64_t each;   /* recorded intervals that make one, not 0 */
	uint32_t thread; /* index, TF_NONE: all */
	enum thread_vectors threads;
	unsigned jobs; /* threads that may decode, not 0 */
};

/* An interval; its row is valid until the next call. */
struct run_interval {
	struct bb_row row; /* instructions by dimension, from 1; each once, in the order of its
				  first use */
	uint64_t end;      /* instructions of the thread, or of all, up to its end */
};

struct vector_run;

/* Begins to read. Returns NULL after a message. Ends the process if memory is out. */
struct vector_run *vector_run_open(struct tf_reader *reader,
				   const struct vector_run_options *options);
void vector_run_close(struct vector_run *run);

/*
 * Reads the next interval, which may be empty if only one thread counts. The last one is left out,
 * as the end of the program cut it. Returns 1, 0 at the end, -1 after a message.
 */
int vector_run_next(struct vector_run *run, struct run_interval *interval);

/*
 * The blocks of intervals that are not wanted are passed over: their rows are empty. wanted: by
 * interval, in the order of vector_run_next, with one more for the end that is left out; NULL: all
 * are wanted. It must stay valid.
 */
void vector_run_want(struct vector_run *run, const bool *wanted);

/*
 * Begins with the first interval again; dimensions keep their numbers. Returns false after a
 * message.
 */
bool vector_run_rewind(struct vector_run *run);

/* Returns how many dimensions there are so far; they are 1 to that. */
uint32_t vector_run_dimensions(const struct vector_run *run);

/*
 * Returns the identity of a dimension, a hash that does not depend on the run: of the build-id of
 * the module, or its file's name if it has none, the block's offset in it, and the thread's place.
 */
uint64_t vector_run_identity(const struct vector_run *run, uint32_t dimension);

/* Returns the function of a dimension, else MODULE+0xOFFSET. Free it. */
char *vector_run_name(const struct vector_run *run, uint32_t dimension, bool *is_function);

#endif
