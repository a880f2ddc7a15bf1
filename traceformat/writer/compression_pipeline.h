/* SPDX-License-Identifier: MIT */
/*
 * The compression pipeline takes chunks and dictionary records to the file. Each job is compressed
 * by the caller or by the writer's own threads, and jobs are written in the order in which they
 * were put.
 */
#ifndef COMPRESSION_PIPELINE_H
#define COMPRESSION_PIPELINE_H

#include "traceformat/writer/writer.h"

/* clang-format off */
enum chunk_column {
	CHUNK_HEAD, CHUNK_RUNS, CHUNK_RESIDUALS, CHUNK_PARTIALS, CHUNK_HITS, CHUNK_SLOT_RESIDUALS,
	CHUNK_SLOT_SOURCES = CHUNK_SLOT_RESIDUALS + 4, CHUNK_EVENT_COLUMN, CHUNK_COLUMNS,
};
/* clang-format on */

/* A unit of writing: dictionary records, then a chunk. */
struct compression_job {
	struct compression_job *next;
	uint64_t ticket; /* its place in the order */
	struct pending dictionary[N_PENDING];
	bool has_chunk;
	struct section section;
	struct tf_totals totals;
	struct buffer columns[CHUNK_COLUMNS];
	struct buffer payload;
	void *compressor; /* ZSTD_CCtx */
};

/*
 * Prepares the pipeline. If n_threads is 0, the caller of compression_put compresses. Returns false
 * if memory is out.
 */
bool compression_begin(struct tf_writer *writer, unsigned n_threads);

/* Ends the threads after they have finished all jobs. */
void compression_end(struct tf_writer *writer);

/* Call the functions below with the writer's lock held. */

/*
 * Returns an empty job, whose buffers may have capacity from earlier use, or NULL if memory is out.
 */
struct compression_job *compression_new_job(struct tf_writer *writer);

/* Puts a job together with all pending dictionary records. Errors: IO, also of an earlier job;
 * MEMORY. */
int compression_put(struct tf_writer *writer, struct compression_job *job, struct tf_error *error);

/* Waits until all jobs have been written. Errors: as compression_put. */
int compression_drain(struct tf_writer *writer, struct tf_error *error);

#endif
