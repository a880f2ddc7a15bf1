/* SPDX-License-Identifier: MIT */
/*
 * The way of chunks and dictionary records into the file: each job is compressed, by the caller or
 * by threads of the writer's own, and jobs are written in the order in which they were put.
 */
#ifndef PRESS_H
#define PRESS_H

#include "traceformat/writer/writer.h"

enum chunk_column {
	CHUNK_HEAD, CHUNK_RUNS, CHUNK_MISSES, CHUNK_PARTIALS, CHUNK_HITS, CHUNK_SLOT_MISSES,
	CHUNK_SLOT_SOURCES = CHUNK_SLOT_MISSES + 4, CHUNK_EVENT_COLUMN, CHUNK_COLUMNS,
};

/* What is to be written: dictionary records, then a chunk. */
struct press_job {
	struct press_job *next;
	uint64_t ticket;		/* its place in the order */
	struct pending dictionary[N_PENDING];
	bool has_chunk;
	struct section section;
	struct tf_totals totals;
	struct buffer columns[CHUNK_COLUMNS];
	struct buffer payload;
	void *compressor;		/* ZSTD_CCtx */
};

/* n_threads: 0: whoever puts a job does it. False if memory is out. */
bool press_begin(struct tf_writer *writer, unsigned n_threads);

/* Ends the threads, which finish what there is. */
void press_end(struct tf_writer *writer);

/* All below: with the writer's lock held. */

/* Returns an empty job, whose buffers may have room; NULL if memory is out. */
struct press_job *press_new(struct tf_writer *writer);

/* Puts a job together with all pending dictionary records. Errors: IO, also of an earlier job;
 * MEMORY. */
int press_put(struct tf_writer *writer, struct press_job *job, struct tf_error *error);

/* Waits until all jobs have been written. Errors: as press_put. */
int press_drain(struct tf_writer *writer, struct tf_error *error);

#endif
