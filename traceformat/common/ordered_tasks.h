/* SPDX-License-Identifier: MIT */
/* Tasks that several threads do, and whose results are taken one after the other, in order. */
#ifndef ORDERED_TASKS_H
#define ORDERED_TASKS_H

#include <stddef.h>

struct ordered_tasks {
	size_t n;
	unsigned jobs; /* threads that do tasks; 1: the caller's */
	void *opaque;

	/* Does task i < n. worker: of this thread, below jobs; no two tasks at a time have one. */
	void (*work)(void *opaque, unsigned worker, size_t i);

	/* Takes the result of task i, in the caller's thread. Returns 0, or a value that ends all. */
	int (*take)(void *opaque, size_t i);
};

/* Returns how many tasks, one after the other, may be done but not taken at a time. */
static inline size_t ordered_tasks_window(unsigned jobs)
{
	return jobs > 1 ? 2 * (size_t)jobs : 1;
}

/*
 * Does all tasks, and takes their results. Returns the value of take that ended all, or 0. Uses
 * fewer threads if some cannot be started.
 */
int ordered_tasks_run(const struct ordered_tasks *tasks);

#endif
