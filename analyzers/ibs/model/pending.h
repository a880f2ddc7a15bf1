/* SPDX-License-Identifier: MIT */
/* Lines that are on their way to a cache, and the cycles in which they arrive. */
#ifndef IBS_PENDING_H
#define IBS_PENDING_H

#include <stdint.h>

enum { PENDING_LINES = 256 };

struct pending_lines {
	struct pending_line {
		uint64_t line, ready;
	} lines[PENDING_LINES]; /* by line; one of two that collide is forgotten */
	uint64_t all_ready;     /* from this cycle on there are none */
};

static inline void pending_add(struct pending_lines *pending, uint64_t line, uint64_t ready)
{
	pending->lines[line % PENDING_LINES] = (struct pending_line){ line, ready };
	if (pending->all_ready < ready)
		pending->all_ready = ready;
}

/* Returns the cycle in which a line arrives or arrived; 0 if it is not known. */
static inline uint64_t pending_ready(const struct pending_lines *pending, uint64_t line)
{
	const struct pending_line *entry = &pending->lines[line % PENDING_LINES];

	return entry->line == line ? entry->ready : 0;
}

#endif
