/* SPDX-License-Identifier: MIT */
/*
 * Threads that do the tasks of a batch while the caller prepares the next batch:
 *
 *	caller   [prepare 0][prepare 1][task 0.2][prepare 2][task 1.2] ...
 *	helper              [task 0.0][task 0.1] [task 1.0][task 1.1]  ...
 */
#ifndef MICA_HELPERS_H
#define MICA_HELPERS_H

struct mica_helpers;

/*
 * Starts up to n threads, as many as the system gives, for tasks 0 to n_tasks - 1. Ends the process
 * if memory is out.
 */
struct mica_helpers *mica_helpers_new(unsigned n, unsigned n_tasks,
				      void (*work)(void *opaque, unsigned task), void *opaque);

/* Begins the tasks, each of which is done once. Earlier ones are finished first. */
void mica_helpers_begin(struct mica_helpers *helpers);

/* Returns when all tasks are done; the caller does some of them. */
void mica_helpers_finish(struct mica_helpers *helpers);

/* Finishes the tasks, and ends the threads. NULL is allowed. */
void mica_helpers_free(struct mica_helpers *helpers);

#endif
