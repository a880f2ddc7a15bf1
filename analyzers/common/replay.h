/* SPDX-License-Identifier: MIT */
/*
 * Replays the chosen part of a trace through an analyzer's hooks.
 *
 * One result needs one state, fed by one lane; with several jobs the streams are cut into as many
 * lanes, at chunks (where no execution crosses), each lane with a state and a thread of its own,
 * merged in order at the end. Where states cannot be merged (no merge hook, intervals, a region, a
 * warm-up, several threads in order) the other jobs decode ahead of the one lane.
 *
 *	thread 0   [chunk][chunk][chunk][chunk]      lane 0: thread 0 up to the cut
 *	                        | cut                lane 1: thread 0 from the cut, thread 1
 *	thread 1   [chunk][chunk]
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "analyzers/common/analyzer.h"
#include "analyzers/common/chunks.h"

struct replay {
	struct analysis *run;
	struct chunk_list chunks; /* of the trace */
	uint64_t first;           /* first instruction; see tf_cursor_options */
	uint64_t count;
	uint64_t warmup;         /* how many of these, at their beginning, are not counted */
	uint32_t region;         /* index; TF_NONE: everything */
	const bool *excluded;    /* by block: leave out its executions; NULL: leave out none */
	const bool *left_out;    /* by thread: leave it out; NULL: leave out none */
	const char *row_name;    /* the "thread" of rows; NULL: that of the thread */
	uint64_t interval;       /* instructions; 0: none */
	const void *row_options; /* of the analyzer, for its row hook; NULL: those of run */
	unsigned jobs;
	bool quiet;
	struct report *report; /* where rows go */
	bool damaged;          /* out: something in the trace could not be read, */
	bool fed;              /* and something could */
};

/* Returns true if the states of a stream's lanes can be merged. */
bool replay_can_merge(const struct analysis *run);

/*
 * Feeds the instructions of `thread`, or of all with TF_MERGED, to a state that it allocates.
 * With rows, every interval (without intervals: everything) becomes a row of replay->report. Unless
 * state is NULL, *state receives the state: pass it to replay_free.
 * Returns 0 or an exit code, after a message.
 */
int replay_run(struct replay *replay, uint32_t thread, bool rows, void **state);

/*
 * Feeds the instructions of `thread`, or of all with TF_MERGED, to a state that was fed what comes
 * before. Returns 0 or an exit code, after a message.
 */
int replay_feed(const struct replay *replay, uint32_t thread, void *state, bool *damaged);

/* Feeds the vectors of `thread`, or of all with TF_MERGED, to a state, as replay_run() does. */
int replay_vectors(struct replay *replay, uint32_t thread, void **state);

/*
 * Allocates and starts a state. Returns 0 or an exit code; pass *state to replay_free in either
 * case.
 */
int replay_new(const struct analysis *run, void **state);

/* Stops and frees a state. NULL is allowed. */
void replay_free(const struct analysis *run, void *state);

#endif
