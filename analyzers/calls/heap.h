/* SPDX-License-Identifier: MIT */
/*
 * Heap profiles: the objects that each call path allocates, with the call path of malloc, new, ...
 * Sizes are those that the program asked for.
 */
#ifndef CALLS_HEAP_H
#define CALLS_HEAP_H

#include "analyzers/calls/heap_times.h"
#include "analyzers/calls/paths.h"
#include "analyzers/program/heap_objects.h"
#include "cli/common/tracereport.h"

/* The objects of a node of the call tree. */
struct call_heap_node {
	struct call_heap_amount allocated, live;
	struct call_heap_amount peak; /* live ones when the whole heap was largest */
	uint64_t peaks;               /* number of the peaks that `peak` knows of */
	uint64_t young;               /* freed within YOUNG instructions of their thread */
	uint64_t largest;             /* bytes */
	struct heap_node_times times;
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
};

/* Initializes a profile. All functions end the process if memory is out. */
void call_heap_init(struct call_heap *heap, struct tf_reader *reader);
void call_heap_free(struct call_heap *heap);

/* Takes an event of a thread that is in a node, after so many instructions of all threads. */
void call_heap_event(struct call_heap *heap, uint32_t node, const struct tf_event *event,
		     uint64_t instructions);

/*
 * Reports totals, at most `top` call paths, those with the most bytes at the peak first, and what
 * was live at some times. instructions: executed by all threads.
 */
void call_heap_report(struct call_heap *heap, const struct call_paths *paths, uint64_t top,
		      uint64_t instructions, struct report *report);

#endif
