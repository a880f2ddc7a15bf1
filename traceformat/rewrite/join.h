/* SPDX-License-Identifier: MIT */
/*
 * The state that the parts of joining share: the whole (join.c), processes and threads
 * (join_processes.c), the other records of the dictionary (join_dictionary.c), META (join_meta.c),
 * the streams (join_stream.c), and the order of threads (join_order.c).
 */
#ifndef JOIN_H
#define JOIN_H

#include "traceformat/common/record_set.h"
#include "traceformat/rewrite/run_counts.h"
#include "traceformat/tracewriter.h"

/* A trace that is joined with others. Arrays have an index in the new trace for each old one. */
struct join_part {
	struct tf_reader *r;
	struct tf_info info;
	size_t argument; /* its place among the arguments */
	/*
	 * Slices of one trace are of one group, the place of the first of them among the parts. Any
	 * other trace is a group of its own.
	 */
	size_t group;
	uint32_t *processes, *threads, *modules, *blocks, *paths, *functions, *mappings, *regions,
		*samplers;
	struct run_counts runs;
};

/* The part of a joined thread that one trace has. */
struct join_source {
	uint32_t part, thread;
};

/* A time at which a thread had executed the instructions before an ordinal of its new stream. */
struct join_stamp {
	uint64_t ordinal, time_ns;
};

struct join_thread {
	uint32_t process, tid; /* process: in the new trace */
	size_t group;
	ARRAY(struct join_source) sources; /* the thread's stream, one after the other */
	ARRAY(struct join_stamp) stamps;
};

struct join {
	struct tf_join *options;
	struct join_part *parts;
	size_t n;
	struct tf_writer *w;
	struct buffer record; /* the bytes of a record that is looked up */
	struct record_set modules, symbols, blocks, paths, functions, mappings, regions, samplers;
	ARRAY(struct join_thread) threads;
};

/* Fills *error: a record that is needed is not there. */
int join_lost(const struct join_part *part, const char *what, uint32_t index,
	      struct tf_error *error);

/* Allocates an array of `count` indices, which are TF_NONE. Returns NULL if memory is out. */
uint32_t *join_indices(size_t count);

/*
 * Adds the processes and threads of all parts. Errors: IO, MEMORY, DAMAGED; ARGUMENT (a process is
 * in two parts).
 */
int join_processes(struct join *join, struct tf_error *error);

/* Adds all other records of a part, those that are there already only once. */
int join_dictionary(struct join *join, struct join_part *part, struct tf_error *error);

/* Replaces the indices in an event by those of the new trace. */
int join_event(const struct join_part *part, struct tf_event *event, struct tf_error *error);

/* Refuses parts of different machines; unrelated ones only if code would be decoded wrongly. */
int join_check_machine(const struct join *join, struct tf_error *error);
int join_meta(struct join *join, struct tf_error *error);

/* Writes the stream of a thread. */
int join_stream(struct join *join, uint32_t thread, struct tf_error *error);

/* Writes the samples of all parts. */
int join_samples(struct join *join, struct tf_error *error);

/* Writes the order of threads. Sets options->by_times. */
int join_order(struct join *join, struct tf_error *error);

#endif
