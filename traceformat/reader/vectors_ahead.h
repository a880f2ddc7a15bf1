/* SPDX-License-Identifier: MIT */
/*
 * Threads that read sections of vectors ahead, and decode their counts. The sections are handed out
 * in the order of the file, so that the caller finds what it would find without these threads.
 *
 * Memory: two sections for each thread, with 16 bytes for each count of a section of usual size.
 */
#ifndef VECTORS_AHEAD_H
#define VECTORS_AHEAD_H

#include "traceformat/reader/vector_record.h"

/* A section that has been read. */
struct section_ahead {
	const struct section *section;
	int status; /* 0, or the error that kept it from being read */
	struct tf_error error;
	struct buffer payload;
	ARRAY(struct tf_vector_count) counts; /* of its first records, one after the other */
	size_t n_decoded;                     /* records whose counts are there */
};

struct vectors_ahead;

/*
 * Begins to read ahead from the first section on. decode: the counts, too. exits must stay valid.
 * Returns NULL if memory or threads are out.
 */
struct vectors_ahead *vectors_ahead_open(struct tf_reader *reader, const struct vector_exits *exits,
					 unsigned n_threads, bool decode);

/* Returns the next section, which is valid until the next call, or NULL at the end. */
const struct section_ahead *vectors_ahead_next(struct vectors_ahead *ahead);

/* Ends the threads, even if they have not finished. */
void vectors_ahead_close(struct vectors_ahead *ahead);

#endif
