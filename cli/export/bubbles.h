/* SPDX-License-Identifier: MIT */
/* The state of Ramulator's traces of processors, which count instructions between accesses. */
#ifndef BUBBLES_H
#define BUBBLES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A line is written when the next load or the end comes, as a store belongs to the load before
 * it.
 */
struct bubbles {
	uint64_t before, since; /* instructions without accesses before the load, and since then */
	uint64_t load, store;
	bool has_load, has_store;
};

#endif
