/* SPDX-License-Identifier: MIT */
/*
 * Finds instructions of a trace by their ordinals, with the numbers of their executions so far:
 * markers, by which another run of the program finds the same place.
 */
#ifndef PLACES_H
#define PLACES_H

#include "traceformat/traceformat.h"

/* An execution of an instruction. */
struct place {
	uint64_t ordinal;
	bool found; /* false: not looked up, or the ordinal is at the thread's end, or lost */
	uint64_t pc;
	uint64_t module_offset;
	uint32_t module; /* index, or TF_NONE */
	uint64_t count;  /* executions up to and including this one, in the thread */
	uint64_t since;  /* in: an ordinal not behind it */
	uint64_t before; /* executions of the same pc before `since` */
};

/*
 * Fills in n places, whose ordinals and `since` are set, in any order; of places that were found
 * before, only the counts. A rep instruction cannot be a marker, as simulators disagree on the
 * number of its executions: its place moves to the next instruction that is none. Returns false
 * after a message.
 */
bool places_find(struct tf_reader *reader, uint32_t thread, struct place *places, size_t n);

/*
 * Moves places whose count is above the limit to the first instruction within `reach`
 * instructions whose count is not, if there is one. Returns false after a message.
 */
bool places_limit(struct tf_reader *reader, uint32_t thread, struct place *places, size_t n,
		  uint64_t limit, uint64_t reach);

#endif
