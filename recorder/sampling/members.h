/* SPDX-License-Identifier: MIT */
/*
 * The processes that are sampled: a program from its exec on, or a running process, and their
 * children if children are followed. Events of a CPU also have records of all other processes.
 */
#ifndef SAMPLE_MEMBERS_H
#define SAMPLE_MEMBERS_H

#include "recorder/samples/perf_events.h"
#include "traceformat/common/hash_table.h"

struct member {
	uint32_t key; /* the pid */
	bool is_sampled;
};

struct members {
	HASH_TABLE(struct member) pids;
	uint32_t first; /* the process that is to execute the program */
	bool follow;
};

/* Adds a process. Returns false if memory is out. */
bool members_add(struct members *members, uint32_t pid);

/*
 * Returns true if a record is about a sampled process, or about no process. Adds a process whose
 * begin the record reports, unless memory is out. Records must come in the order of time.
 */
bool members_take(struct members *members, const struct perf_events *events,
		  const struct perf_record *record);

void members_free(struct members *members);

#endif
