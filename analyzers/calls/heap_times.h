/* SPDX-License-Identifier: MIT */
/*
 * The live objects of a heap, and of each node of its call tree, at HEAP_TIMES times or fewer:
 * after 0, n, 2n, ... instructions. n doubles when there would be more times, and every second
 * time is forgotten, as Valgrind's massif does; so the memory for a node is bounded, and a node
 * that does not change takes none.
 */
#ifndef CALLS_HEAP_TIMES_H
#define CALLS_HEAP_TIMES_H

#include <stdint.h>

#include "traceformat/common/array.h"

enum { HEAP_TIMES = 400 };

struct call_heap_amount {
	uint64_t objects, bytes;
};

/* The amounts of a node at the times at which they are not those of the time before. */
struct heap_node_times {
	ARRAY(struct heap_node_time {
		uint32_t time; /* its number */
		struct call_heap_amount live;
	})
	changes;
	bool changed; /* since the last time */
};

struct heap_times {
	uint64_t step;  /* instructions between two times */
	uint32_t count; /* of the times that are over */
	struct call_heap_amount live[HEAP_TIMES];
};

void heap_times_init(struct heap_times *times);

/* Returns whether the times up to now, in instructions, are not all over. */
static inline bool heap_times_are_due(const struct heap_times *times, uint64_t now)
{
	return now / times->step >= times->count;
}

/*
 * Forgets every second time until the times up to now are few enough. `halve` is called each time,
 * to call heap_node_times_halve for all nodes.
 */
void heap_times_make_room(struct heap_times *times, uint64_t now, void (*halve)(void *opaque),
			  void *opaque);

/* Adds the times up to now, at all of which `live` was live. */
void heap_times_pass(struct heap_times *times, uint64_t now, const struct call_heap_amount *live);

/* States that `live` of a node was live at a time and those that follow. */
void heap_node_times_add(struct heap_node_times *times, uint32_t time,
			 const struct call_heap_amount *live);

void heap_node_times_halve(struct heap_node_times *times);

/* Adds what was live in a node to the amounts of `count` times. */
void heap_node_times_sum(const struct heap_node_times *times, uint32_t count,
			 struct call_heap_amount *sums);

#endif
