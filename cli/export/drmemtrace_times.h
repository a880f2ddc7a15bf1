/* SPDX-License-Identifier: MIT */
/*
 * The times of drmemtrace's markers. Tools that merge the files of threads follow these times, so
 * they ascend over all threads in the recorded order: with each run of a thread and each event
 * that has a time. The time of an event is its real one, unless that is before the time of an
 * earlier run or event.
 */
#ifndef DRMEMTRACE_TIMES_H
#define DRMEMTRACE_TIMES_H

#include "cli/export/linear.h"

struct drmemtrace_times;

/* Goes through the trace in the recorded order. Returns NULL after a message. */
struct drmemtrace_times *drmemtrace_times_new(struct tf_reader *reader);
void drmemtrace_times_free(struct drmemtrace_times *times);

/* Returns the thread's id. No two threads of a trace have the same. */
uint64_t drmemtrace_thread_id(const struct drmemtrace_times *times, uint32_t thread);

/* Returns true if instructions of the thread are missing between others. */
bool drmemtrace_has_gaps(const struct drmemtrace_times *times, uint32_t thread);

/* A place in the times of one thread, which only moves forward. */
struct drmemtrace_clock {
	const struct drmemtrace_times *times;
	uint32_t thread;
	size_t next;
	uint64_t next_ordinal; /* where the time goes on, or UINT64_MAX */
	uint64_t now;          /* microseconds since 1601-01-01 UTC */
};

/* Begins at an instruction; clock->now is then the time when the thread was about to execute it. */
void drmemtrace_clock_begin(struct drmemtrace_clock *clock, const struct drmemtrace_times *times,
			    uint32_t thread, uint64_t ordinal);

/* Moves to an instruction that is not before next_ordinal. */
void drmemtrace_clock_move(struct drmemtrace_clock *clock, uint64_t ordinal);

/* Moves to an instruction. Returns true if the time went on. */
static inline bool drmemtrace_clock_insn(struct drmemtrace_clock *clock, uint64_t ordinal)
{
	if (ordinal < clock->next_ordinal)
		return false;
	drmemtrace_clock_move(clock, ordinal);
	return true;
}

/* Moves to an event that has a time. */
void drmemtrace_clock_event(struct drmemtrace_clock *clock, const struct tf_event *event);

#endif
