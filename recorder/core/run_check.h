/* SPDX-License-Identifier: MIT */
/*
 * Compares a run, interval by interval, with an earlier run whose intervals options->intervals
 * gives: by the rolling hash of the executions (FORMAT.md 4.6). Each interval that was counted from
 * its exact begin to its exact end is compared; a recorded window interrupts the comparison up to
 * the next end of an interval. The first difference ends it, because from there on the intervals
 * begin and end elsewhere.
 */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "recorder/core/session.h"

struct run_check;

/* Returns NULL if memory is out. */
struct run_check *run_check_new(const struct record_options *options);
void run_check_free(struct run_check *check);

/* Adds executions of a path, as intervals_add(). Returns false if memory is out. */
bool run_check_add(struct run_check *check, uint32_t thread, uint32_t exit, unsigned executed,
		   int64_t times);

/* Returns the instructions of all threads before the next end of an interval that must be reached
 * exactly; UINT64_MAX: there is none. */
uint64_t run_check_next(const struct run_check *check);

/*
 * Compares the interval if it ends here, after `executed` instructions. All that tasks have
 * executed has been added. summary: with which the hashes are made. Returns false if memory is out.
 */
bool run_check_look(struct run_check *check, struct vector_summary *summary, uint64_t executed);

/* Returns true if a difference has been found. */
bool run_check_differs(const struct run_check *check);

/* Moves the result to *result. */
void run_check_take(struct run_check *check, struct record_check *result);

#endif
