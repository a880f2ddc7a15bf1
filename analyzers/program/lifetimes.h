/* SPDX-License-Identifier: MIT */
/*
 * The lifetimes of objects, for samples that have a time but no instruction. The trace gives a
 * call's place among its thread's events, some of which have times, so the call was between two of
 * these times. Hence an object certainly lives from the first time after the return of its
 * allocation to the last time before the call that frees it, and perhaps a little longer. Actions
 * of other threads are ordered only by times, as the order of threads in a trace may be
 * approximate.
 */
#ifndef LIFETIMES_H
#define LIFETIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common/checked.h"
#include "traceformat/traceformat.h"

/* Times are ns of CLOCK_MONOTONIC. */
struct object_change {
	uint64_t not_before, not_after;
	uint64_t address, size; /* size 0: it was freed */
	uint32_t process, thread;
	uint32_t object; /* number of what was allocated, or TF_NONE */
	uint32_t number; /* in the trace's order, which is exact within a thread */
};

/* A process began to execute another program. */
struct object_exec {
	uint32_t process;
	uint64_t not_before;
};

struct object_life;

struct lifetimes {
	uint32_t n_threads;
	struct object_clock {
		uint64_t now;         /* the last time there was */
		ARRAY(uint32_t) open; /* changes since then */
	} * clocks;                   /* by thread */
	ARRAY(struct object_change) changes;
	ARRAY(struct object_exec) execs;
	uint64_t gap;              /* the first time that calls may not have been seen */
	struct object_life *lives; /* once they are known */
	size_t n_lives;
};

/* Initializes lifetimes. This and the functions below end the process if memory is out. */
void lifetimes_init(struct lifetimes *lifetimes, uint32_t n_threads);
void lifetimes_free(struct lifetimes *lifetimes);

/* Records the time of an event that has one; earlier actions of its thread were not after it. */
void lifetimes_event(struct lifetimes *lifetimes, const struct tf_event *event);

/* Returns the last time of a thread; its present action is not before it. */
uint64_t lifetimes_now(const struct lifetimes *lifetimes, uint32_t thread);

/* Adds a change whose not_after is yet to be known; its number is set here. */
void lifetimes_add(struct lifetimes *lifetimes, const struct object_change *change);

/* States that the process of a thread executes another program. */
void lifetimes_exec(struct lifetimes *lifetimes, uint32_t process, uint32_t thread);

/* States that from here on a thread may have freed anything unseen. */
void lifetimes_gap(struct lifetimes *lifetimes, uint32_t thread);

/* States that all changes are known. */
void lifetimes_end(struct lifetimes *lifetimes);

enum certainty { NO_OBJECT, PERHAPS, CERTAIN };

/* Finds the object that certainly held an address at a time: *object is its number, or TF_NONE. */
enum certainty lifetimes_find(const struct lifetimes *lifetimes, uint32_t process, uint64_t address,
			      uint64_t time, uint32_t *object);

#endif
