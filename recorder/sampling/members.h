/* SPDX-License-Identifier: MIT */
/*
 * The processes that are sampled: a program from when it is executed, or a process that runs, and,
 * if children are followed, those that they start. Events of a CPU tell of all others as well.
 */
#ifndef SAMPLE_MEMBERS_H
#define SAMPLE_MEMBERS_H

#include "recorder/samples/numbers.h"
#include "recorder/samples/perf_events.h"

struct members {
	struct numbers pids; /* 1: it is one */
	uint32_t first;      /* the process that is to execute the program */
	bool follow;
};

/* Says that a process is one. False: memory is out. */
bool members_add(struct members *members, uint32_t pid);

/*
 * True if a record is about one of them, or about nobody; whom it tells of becomes one. Records
 * come in the order of time. Memory that is out leaves a process out.
 */
bool members_take(struct members *members, const struct perf_events *events,
		  const struct perf_record *record);

void members_free(struct members *members);

#endif
