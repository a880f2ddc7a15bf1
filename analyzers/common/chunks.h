/* SPDX-License-Identifier: MIT */
/*
 * Finds the places where streams can be cut so that each part is decoded by itself: before chunks.
 */
#ifndef CHUNKS_H
#define CHUNKS_H

#include "traceformat/common/array.h"
#include "traceformat/traceformat.h"

/* The part of a chunk that is wanted. */
struct chunk {
	uint32_t thread;
	uint64_t first; /* ordinal */
	uint64_t instructions;
};

/* All chunks of a trace, by thread and ordinal. */
struct chunk_list {
	ARRAY(struct chunk);
};

/* Ends the process if memory is out, as chunks_between does. */
void chunk_list_init(struct chunk_list *list, struct tf_reader *reader);
void chunk_list_free(struct chunk_list *list);

/*
 * Returns how many of `jobs` may decode chunks of a trace of file_size bytes at the same time: at
 * least 1, and so many that the chunks, of which each may be as large as the largest, take half of
 * the memory that a command may take (cli/common/memory_watch.h).
 */
unsigned chunk_jobs(struct tf_reader *reader, uint64_t file_size, unsigned jobs);

/*
 * Returns what instructions first .. end - 1 of threads first_thread .. end_thread - 1 have of each
 * chunk, in the list's order. *count: their number. Free what is returned; it may be NULL if there
 * are none. The time grows with the chunks of these threads, not with the list.
 */
struct chunk *chunks_between(const struct chunk_list *list, uint32_t first_thread,
			     uint32_t end_thread, uint64_t first, uint64_t end, size_t *count);

#endif
