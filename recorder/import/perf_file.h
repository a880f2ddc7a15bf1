/* SPDX-License-Identifier: MIT */
/*
 * perf.data files, of perf record to a file or to a pipe (tools/perf/Documentation/
 * perf.data-file-format.txt of Linux describes them). Little-endian ones alone. The file is
 * anybody's: sizes and offsets are checked, what cannot be is refused.
 */
#ifndef PERF_FILE_H
#define PERF_FILE_H

#include "recorder/samples/perf_events.h"

/* Texts of the header, NULL where they are not there. */
struct perf_texts {
	char *hostname, *release, *version, *arch, *cpu, *cpuid, *command;
};

struct perf_pmu {
	uint32_t type;
	char *name;
};

struct perf_build_id {
	char *path;
	const uint8_t *id;
	size_t size;
};

/* A record, to be put into the order of time. */
struct perf_entry {
	uint64_t time;
	const uint8_t *bytes;
	uint32_t size, place; /* bytes; its number in the file */
};

struct perf_file {
	const uint8_t *data; /* of the whole file */
	size_t size;
	const char *name; /* for messages */
	bool is_pipe;
	struct perf_events events;
	struct perf_texts texts;
	struct perf_pmu *pmus;
	size_t n_pmus;
	struct perf_build_id *build_ids;
	size_t n_build_ids;
	struct perf_entry *entries; /* of the kernel's records, in the order of time */
	size_t n_entries;
	uint64_t n_damaged;             /* records that are not what they should be */
	uint64_t cut;                   /* bytes at the end that are no whole record */
	bool killed;                    /* perf had not finished the file */
	struct perf_unpacked *unpacked; /* records that were compressed */
};

/* True if the file in memory begins as perf.data does, of whatever byte order. */
bool perf_file_is(const uint8_t *data, size_t size);

/*
 * Reads what a file in memory has; data and name must stay until perf_file_free, which is needed
 * even after an error. Returns 0 or a negative status with *error.
 */
int perf_file_read(struct perf_file *file, const uint8_t *data, size_t size, const char *name,
		   struct tf_error *error);
void perf_file_free(struct perf_file *file);

/* The name of a PMU by the type of its events, NULL if the file does not say. */
const char *perf_file_pmu(const void *file, uint32_t type);

#endif
