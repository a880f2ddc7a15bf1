/* SPDX-License-Identifier: MIT */
/* The files that trace-import reads, in memory: one file, or the files of perf record --threads. */
#ifndef IMPORT_PARTS_H
#define IMPORT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "recorder/import/perf_file.h"
#include "traceformat/common/array.h"

struct parts {
	const char *path;
	ARRAY(struct perf_part);
	ARRAY(bool) is_mapped; /* by part */
	uint64_t missing;      /* number of the first data.N that the folder lacks */
	bool is_missing;
};

/*
 * Reads a file, standard input (-), or the files data, data.0, data.1, ... of a folder. Returns
 * false after a message if they cannot be read or cannot be imported. Call parts_free in either
 * case.
 */
bool parts_read(struct parts *parts, const char *path);

/* Returns whether the folder lacks a file, after a message on stderr if so. */
bool parts_report_missing(const struct parts *parts);

void parts_free(struct parts *parts);

#endif
