/* SPDX-License-Identifier: MIT */
/*
 * Reads perf.data files, which perf record writes to a file or a pipe
 * (tools/perf/Documentation/perf.data-file-format.txt of Linux describes them), if they are
 * little-endian. Files are not trusted: sizes and offsets are checked, and impossible values are
 * refused.
 */
#ifndef PERF_FILE_H
#define PERF_FILE_H

#include "recorder/import/perf_data.h"

/* Returns true if the file in memory begins as perf.data does, in either byte order. */
bool perf_file_is(const uint8_t *data, size_t size);

/*
 * Returns true if the file in memory has records without a header, as perf record --threads writes
 * them into data.N.
 */
bool perf_records_are(const uint8_t *data, size_t size);

/*
 * Sets the error that a file of a folder was given without the others, and names the folder.
 * Returns a negative status.
 */
int perf_file_fail_lone(const char *name, struct tf_error *error);

/*
 * Reads the parts in memory: one part of a file or a pipe, or all files of a folder. The parts'
 * data and names must stay until perf_file_free(), which is needed even after an error.
 * Decompressed records may take 256 MiB and 100 times the parts. Returns 0 or a negative status
 * with *error.
 */
int perf_file_read(struct perf_file *file, const struct perf_part *parts, size_t n_parts,
		   struct tf_error *error);
void perf_file_free(struct perf_file *file);

/* Returns the name of a PMU by the type of its events, or NULL if the file does not have it. */
const char *perf_file_pmu(const void *file, uint32_t type);

#endif
