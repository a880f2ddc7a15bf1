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

/* A file, or a part of a folder that perf record --threads wrote: the first part has the header. */
struct perf_part {
	const uint8_t *data;
	size_t size;
	const char *name; /* for messages */
};

/* Records of types that nobody knows. */
struct perf_unknown {
	uint64_t records;
	uint32_t type; /* of the first one */
};

/* A record, to be put into the order of time. */
struct perf_entry {
	uint64_t time;
	const uint8_t *bytes;
	uint32_t size, place; /* bytes; its number in the file */
};

struct perf_file {
	const uint8_t *data; /* of the part that is being read */
	size_t size, n_parts;
	const char *name;      /* for messages */
	uint64_t unpack_limit; /* bytes of all compressed records together */
	uint64_t n_unpacked;   /* bytes so far, and those of the entries that are in them */
	bool is_pipe;
	struct perf_events events;
	struct perf_texts texts;
	struct perf_pmu *pmus;
	size_t n_pmus;
	struct perf_build_id *build_ids;
	size_t n_build_ids;
	struct perf_entry *entries; /* of the kernel's records, in the order of time */
	size_t n_entries, room;
	struct perf_unknown unknown;
	uint64_t n_damaged;             /* records that are not what they should be */
	uint64_t cut;                   /* bytes at the end that are no whole record */
	bool killed;                    /* perf had not finished the file */
	struct perf_unpacked *unpacked; /* records that were compressed */
};

/* True if the file in memory begins as perf.data does, of whatever byte order. */
bool perf_file_is(const uint8_t *data, size_t size);

/* True if memory holds records as perf record --threads writes them into data.N: without a header. */
bool perf_records_are(const uint8_t *data, size_t size);

/* Says that a part needs the others, and names their folder. Returns a negative status. */
int perf_file_fail_lone(const char *name, struct tf_error *error);

/*
 * Reads what the parts in memory have: one of a file or a pipe, all of a folder. The parts' data and
 * names must stay until perf_file_free, which is needed even after an error. Compressed records may
 * grow to 256 MiB and 100 times the parts. Returns 0 or a negative status with *error.
 */
int perf_file_read(struct perf_file *file, const struct perf_part *parts, size_t n_parts,
		   struct tf_error *error);
void perf_file_free(struct perf_file *file);

/* The name of a PMU by the type of its events, NULL if the file does not say. */
const char *perf_file_pmu(const void *file, uint32_t type);

#endif
