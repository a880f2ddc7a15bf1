/* SPDX-License-Identifier: MIT */
/* Files of traces in parts that a test changes. */
#ifndef LOOSE_FILE_H
#define LOOSE_FILE_H

#include "tests/fuzz/loose_trace.h"
#include "tests/unit/traces/trace_file.h"

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

#endif
