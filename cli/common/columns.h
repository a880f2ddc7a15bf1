/* SPDX-License-Identifier: MIT */
/* The bytes that each column of a trace's chunks takes. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "traceformat/traceformat.h"

struct column_usage {
	unsigned id;
	uint64_t chunks;      /* that have the column */
	uint64_t stored, raw; /* bytes */
};

struct columns {
	size_t count;
	struct column_usage *columns; /* by id, ascending; for free() */
	uint64_t rest;                /* bytes of chunks that are in no column */
};

/*
 * Sums up the columns of all chunks. Returns 0, or a negative status of tf_section_columns with
 * *error. Ends the process if memory is out.
 */
int columns_sum(struct tf_reader *reader, struct columns *sums, struct tf_error *error);

#endif
