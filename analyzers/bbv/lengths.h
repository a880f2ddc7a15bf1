/* SPDX-License-Identifier: MIT */
/*
 * How many instructions of a thread were counted before a place in it. Mostly it is the number of
 * instructions between that place and the first one. Exp-bbv's rules count more, or fewer, where an
 * instruction faults or where a rep is interrupted, or has certain prefixes; and lost instructions
 * do not count. A first pass over the pieces finds the numbers there.
 */
#ifndef BBV_LENGTHS_H
#define BBV_LENGTHS_H

#include "traceformat/common/hash_table.h"
#include "traceformat/traceformat.h"

struct bbv_length {
	struct bbv_place_of_thread {
		uint64_t thread;
		uint64_t ordinal; /* of the next instruction */
	} key;
	uint64_t instructions;
};

struct analysis;
struct bbv_set;

/* Zeroed: nothing is known, and the streams begin with instruction 0. */
struct bbv_lengths {
	HASH_TABLE(struct bbv_length) known;
	uint64_t first; /* instruction of each thread */
};

void bbv_lengths_free(struct bbv_lengths *lengths);

/* Adds a known place. Ends the process if memory is out. */
void bbv_lengths_add(struct bbv_lengths *lengths, uint32_t thread, uint64_t ordinal,
		     uint64_t instructions);

/*
 * Adds the places of a file that trace-merge --partial has made. set: begun, for all of the trace;
 * only bbv_set_free may follow. Returns 0, or an exit code after a message.
 */
int bbv_lengths_read(struct bbv_lengths *lengths, const struct analysis *run, struct bbv_set *set,
		     const char *path);

/* Returns the known number, or else the number of instructions between. */
uint64_t bbv_length_at(const struct bbv_lengths *lengths, uint32_t thread, uint64_t ordinal);

#endif
