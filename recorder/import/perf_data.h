/* SPDX-License-Identifier: MIT */
/* The contents of a perf.data file, once the file has been read. */
#ifndef PERF_DATA_H
#define PERF_DATA_H

#include "recorder/samples/perf_events.h"

/* Texts of the header; NULL if the file does not have them. */
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

/* A file, or one of the files that perf record --threads writes: the first one has the header. */
struct perf_part {
	const uint8_t *data;
	size_t size;
	const char *name; /* for messages */
};

/* Records of unknown types. */
struct perf_unknown {
	uint64_t records;
	uint32_t type; /* of the first one */
};

/* A record of the kernel and its time. */
struct perf_entry {
	uint64_t time;
	const uint8_t *bytes;
	uint32_t size;  /* bytes */
	uint32_t place; /* number of the record in the file */
};

struct perf_file {
	const uint8_t *data; /* of the part that is being read */
	size_t size, n_parts;
	const char *name;      /* for messages */
	uint64_t unpack_limit; /* bytes of all compressed records together */
	uint64_t n_unpacked;   /* bytes of these records so far, and of their entries */
	bool is_pipe;
	struct perf_events events;
	struct perf_texts texts;
	struct perf_pmu *pmus;
	size_t n_pmus, pmu_capacity;
	struct perf_build_id *build_ids;
	size_t n_build_ids, build_id_capacity;
	struct perf_entry *entries; /* of the kernel's records, in the order of time */
	size_t n_entries, capacity;
	struct perf_unknown unknown;
	uint64_t n_damaged;             /* damaged records */
	uint64_t cut;                   /* bytes of an incomplete record at the end */
	bool killed;                    /* perf had not finished the file */
	struct perf_unpacked *unpacked; /* records that were compressed */
};

/*
 * Sets the error "FILE: offset N: WHAT" and returns its negative status. `at` is in the file's
 * data, or elsewhere if the record was compressed.
 */
int perf_file_fail(const struct perf_file *file, const uint8_t *at, const char *what,
		   struct tf_error *error);

#endif
