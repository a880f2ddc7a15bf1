/* SPDX-License-Identifier: MIT */
/* Where streams can be cut so that each part is decoded by itself: before chunks. */
#ifndef CHUNKS_H
#define CHUNKS_H

#include "traceformat/traceformat.h"

/* What is wanted of a chunk. */
struct chunk {
	uint32_t thread;
	uint64_t first; /* ordinal */
	uint64_t instructions;
};

/*
 * Lists what instructions first .. end - 1 of threads first_thread .. end_thread - 1 have of each
 * chunk, by thread and ordinal. *count: their number. Free the list; it may be NULL if it is empty.
 */
struct chunk *chunks_between(struct tf_reader *reader, uint32_t first_thread, uint32_t end_thread,
			     uint64_t first, uint64_t end, size_t *count);

#endif
