/* SPDX-License-Identifier: MIT */
/*
 * The columns of a section of basic block vectors (FORMAT.md 4.5): the same records, stored exit by
 * exit. The counts of an exit are alike from vector to vector, so that columns compress to two
 * thirds of the records.
 */
#ifndef VECTOR_COLUMNS_H
#define VECTOR_COLUMNS_H

#include "traceformat/common/bytes.h"

/* FORMAT.md 7: what a reader accepts at most */
enum { MAX_VECTOR_RECORDS = 1 << 20, MAX_VECTOR_BYTES = 1 << 28 };

/* Tells whether an exit is the partial exit of its path. */
typedef bool exit_is_partial(const void *context, uint32_t exit);

/*
 * Appends the columns of n records, which are valid. Returns false if memory is out.
 */
bool vector_columns_pack(struct span records, uint64_t n, exit_is_partial *is_partial,
			 const void *context, struct buffer *columns);

/*
 * Appends the n records of the columns, byte by byte as they were packed. The columns are
 * untrusted, and the records need a check of their own. Takes time and memory in proportion to the
 * columns, to the records and to n. Errors: MEMORY, DAMAGED (also if there are more records or
 * bytes of counts than the limits).
 */
int vector_columns_unpack(struct span columns, uint64_t n, struct buffer *records);

#endif
