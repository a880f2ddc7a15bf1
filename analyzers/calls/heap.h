/* SPDX-License-Identifier: MIT */
/*
 * Heap profiles: the objects that each call path allocates, with the call path of malloc, new, ...
 * Sizes are those that the program asked for.
 */
#ifndef CALLS_HEAP_H
#define CALLS_HEAP_H

#include "analyzers/calls/heap_times.h"
#include "analyzers/calls/paths.h"
#include "analyzers/program/heap_functions.h"
#include "analyzers/program/heap_objects.h"
#include "analyzers/program/heap_uses.h"
#include "cli/common/tracereport.h"

/* The objects of a node of the call tree. */
struct call_heap_node {
	struct call_heap_amount allocated, live;
	struct call_heap_amount peak; /* live ones when the whole heap was largest */
	uint64_t peaks;               /* number of the peaks that `peak` knows of */
	uint64_t young;               /* freed within YOUNG instructions of their thread */
	uint64_t largest;             /* bytes */
	struct heap_node_times times;
	struct heap_use_sums uses;    /* of the objects that are no more */
	struct heap_offsets *offsets; /* NULL: there are none, or all sizes are too large */
	bool has_large;               /* there was a size that is too large for offsets */
};

/* A thread, as far as it matters to the uses of objects. */
struct call_heap_thread {
	size_t inside; /* call frames when it called malloc, free, ...; 0: it is not in such a call */
	struct call_heap_kernel {
		uint64_t number, address, size;
	} kernel; /* the last system call that reads or writes a buffer */
};

struct call_heap {
	struct heap_objects objects;
	ARRAY(struct call_heap_node) nodes; /* by node */
	uint32_t node;                      /* that the present event is in */
	uint64_t ordinal;                   /* of the present event */
	uint32_t thread;                    /* of the present event */
	struct call_heap_amount allocated, live, peak;
	uint64_t peaks;          /* times that the heap was larger than ever before */
	ARRAY(uint32_t) changed; /* nodes, since the last of the times */
	struct heap_times times;
	uint64_t instructions; /* executed before the present event, by all threads */
	uint64_t peak_at;      /* instructions executed before the peak */
	bool has_uses;         /* the trace has addresses of data */
	struct heap_uses uses;
	struct call_heap_thread *threads;
	size_t offset_bytes; /* of all offsets */
};

/*
 * Initializes a profile. functions: see heap_functions.h, or NULL. All functions end the process if
 * memory is out.
 */
void call_heap_init(struct call_heap *heap, struct tf_reader *reader, const char *functions,
		    bool has_addresses);
void call_heap_free(struct call_heap *heap);

/*
 * Takes an event of a thread that is in a node, with so many call frames, after so many
 * instructions of all threads.
 */
void call_heap_event(struct call_heap *heap, uint32_t node, size_t frames,
		     const struct tf_event *event, uint64_t instructions);

/*
 * States that a thread has executed a block in a node, with so many call frames. The first block of
 * a call that allocates has the call's path; the call may end in another function that is reached
 * by a tail call.
 */
static inline void call_heap_execute(struct call_heap *heap, uint32_t thread, uint32_t node,
				     size_t frames)
{
	struct heap_call *call = heap_objects_call(&heap->objects, thread);

	/* A signal handler may run before the call's first instruction, with more frames. */
	if (call && call->owner == TF_NONE && frames <= call->frames)
		call->owner = node;
}

/*
 * Returns true if the accesses of a thread with so many call frames are to be counted: not those of
 * malloc, free, ... themselves.
 */
bool call_heap_counts(struct call_heap *heap, uint32_t thread, size_t frames);

/* Reports the accesses of all objects. The profile must have uses, here and below. */
void call_heap_report_use_totals(const struct call_heap *heap, struct report *report);

/*
 * Reports the accesses of the objects, by at most `top` call paths, those with the most bytes that
 * were never read first.
 */
void call_heap_report_uses(const struct call_heap *heap, const struct call_paths *paths,
			   uint64_t top, struct report *report);

/*
 * Reports totals, at most `top` call paths, those with the most bytes at the peak first, and what
 * was live at some times. instructions: executed by all threads.
 */
void call_heap_report(struct call_heap *heap, const struct call_paths *paths, uint64_t top,
		      uint64_t instructions, struct report *report);

#endif
