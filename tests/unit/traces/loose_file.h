/* SPDX-License-Identifier: MIT */
/* Files of traces in parts that a test changes. */
#ifndef LOOSE_FILE_H
#define LOOSE_FILE_H

#include "tests/fuzz/loose_trace.h"
#include "tests/unit/traces/trace_file.h"
#include "traceformat/codings/vector_columns.h"

/* Takes the trace in a file apart. */
static inline void take_apart(struct loose_trace *trace, int fd)
{
	enum { MOST = 1 << 20 /* decompressed bytes of a section */ };
	size_t size = file_size(fd);
	uint8_t *bytes = malloc(size);

	read_at(fd, bytes, size, 0);
	ck_assert(loose_trace_take(trace, bytes, size, MOST));
	free(bytes);
}

/* Makes the first section of vectors one of records (version 0), and returns its part. */
static inline struct loose_part *loose_vector_records(struct loose_trace *trace)
{
	struct loose_section *s = &trace->sections[loose_trace_find(trace, SECTION_VECTORS, 0)];
	struct loose_part *part = s->parts;
	struct buffer records = { 0 };

	ck_assert_uint_eq(s->header.version, 1);
	ck_assert_int_eq(vector_columns_unpack(span_of(part->bytes.data, part->bytes.size),
					       s->header.count, &records),
			 0);
	buffer_free(&part->bytes);
	part->bytes = records;
	s->header.version = 0;
	return part;
}

#endif
