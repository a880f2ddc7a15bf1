/* SPDX-License-Identifier: MIT */
/*
 * The slices of a program that options->slices ask for, by places that an earlier run has found;
 * or those of options->online, which online.h chooses while the program runs.
 *
 * Up to the first slice and between slices the program runs as with --vectors: each exit is
 * counted, from which follows how often a marked instruction has been executed (marked_insns.h).
 * Markers decide, not numbers of instructions: a marker that comes earlier or later than in the
 * earlier run is met all the same, as the begin of each slice has a budget of executions
 * (marker_budgets.h). Where the next execution of its marker is the one that is meant, recording
 * begins:
 *
 *	counted                               | recorded                     | counted
 *	--------------------------------------|=========slice=========|------|--------
 *	looks: when half of the executions     up to some instructions after its end
 *	that are left may have been executed
 *
 * A slice need not be recorded exactly: the trace gets windows that contain the slices, with some
 * instructions more, and it is searched for the places when it is complete.
 *
 * Where a warm-up begins is only estimated: each time a quarter of the instructions to come has
 * been executed, the counts of all markers are looked at. They correct the estimate: the program
 * is after the places that it has passed, and before the others. Instructions are filtered ones
 * with options->filtered, else all.
 */
#ifndef POINTS_H
#define POINTS_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

struct points;

/* Prepares for options->slices, if there are any. Returns 0 or -1. */
int points_begin(struct session *session);
void points_end(struct points *points);

/*
 * Returns true if the end of a slice whose threads execute in any order is where it may be:
 * `length` is the number of its filtered instructions, `expected` that of the earlier run.
 */
static inline bool points_are_as_long(uint64_t length, uint64_t expected)
{
	uint64_t most = expected / 4;

	return length >= expected - most && length <= expected + most;
}

/* As the functions of marked_insns.h; return 0, also without slices, or -1. */
int points_module(struct session *session, const struct tf_module *module, uint32_t index);
int points_block(struct session *session, const struct tf_block *block, uint32_t id);
int points_path(struct session *session, const struct tf_path *path, uint32_t first_exit);
void points_exclude(struct session *session, uint32_t block);
int points_execute(struct task *task, uint32_t exit, unsigned executed, int64_t times);

enum points_step {
	POINTS_COUNT,  /* count *budget instructions, or some fewer */
	POINTS_RECORD, /* record until points_look() */
	POINTS_OVER,   /* all slices are recorded or missed */
};

/*
 * Adds the instructions of the phase that is over, and chooses the next one. All that tasks have
 * executed has been counted.
 */
enum points_step points_next(struct session *session, uint64_t *budget);

/* Returns true if the instructions that points_next() asked for must be counted exactly. */
bool points_are_exact(const struct session *session);

/* Returns true if tasks run at the same time while they are counted. */
bool points_run_in_parallel(const struct session *session);

/*
 * Returns whether tasks may be sampled in bursts (burst_sampling.h), in which markers have no
 * budgets, and how many records they may write at a time. True and UINT64_MAX without slices.
 */
bool points_allow_burst(const struct session *session);
uint64_t points_most_records(const struct session *session);

/* Takes note that a window begins here. Returns 0 or -1. */
int points_open_window(struct session *session);

/*
 * Returns true if the window that is being recorded may end, so that tasks must be synchronized.
 * False without slices.
 */
bool points_look(const struct session *session);

/*
 * Returns true if a window ends with its last instruction or shortly after it: *budget of
 * points_next() holds for windows, too, and all that tasks execute until they are synchronized is
 * recorded.
 */
bool points_end_windows(const struct session *session);

/* Moves the result to *windows. */
void points_take_windows(struct session *session, struct record_windows *windows);

/* As intervals_lose(), for options->online. */
void points_lose(struct session *session);

/* Ends the last interval of options->online. Returns 0 or -1. */
int points_finish(struct session *session);

/* Moves the result of options->online to *clusters. */
void points_take_clusters(struct session *session, struct record_clusters *clusters);

#endif
