/* SPDX-License-Identifier: MIT */
/*
 * The state of a part, and its bytes in a file of partial results: for approximate results the
 * number of borders, then the state, then the state with twice the warm-up, if it is wanted.
 */
#ifndef PART_STATE_H
#define PART_STATE_H

#include "analyzers/common/analyzer.h"
#include "analyzers/common/state_bytes.h"

/* The state of a part, or of everything, and what its warm-ups are. */
struct part_state {
	void *state;
	void *check;      /* with twice the warm-up; NULL: not wanted */
	uint64_t borders; /* places in the trace where a warm-up was needed */
};

/* Starts the states. Returns 0 or an exit code. */
int part_state_new(const struct analysis *run, bool check, struct part_state *state);
void part_state_free(const struct analysis *run, struct part_state *state);

/* Adds a state of what follows. Return 0 or an exit code. */
int part_state_merge(const struct analysis *run, struct part_state *state,
		     const struct part_state *later);

/* Write a state, and read it into one that has been started; path: for messages. */
int part_state_save(const struct analysis *run, struct part_state *state,
		    struct state_writer *writer);
int part_state_load(const struct analysis *run, struct part_state *state,
		    struct state_reader *reader, const char *path);

#endif
