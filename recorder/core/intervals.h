/* SPDX-License-Identifier: MIT */
/*
 * The intervals of a recording with --vectors. Nothing is recorded then but how often each block
 * was executed and left by each of its exits in each interval, by thread: basic block vectors. The
 * blocks are paths of their own in the trace. The program runs as it does where instructions are
 * only counted.
 *
 * An interval ends where the budget of instructions is used up, see region_bounds.h.
 *
 *	--boundary=exact	interval k ends with instruction (k + 1) * N
 *	otherwise		it ends at the last stop before that instruction, at most
 *				INTERVALS_EARLY instructions earlier
 *
 * Intervals do not drift: the budget of the next one has the instructions that are left.
 */
#ifndef INTERVALS_H
#define INTERVALS_H

#include "recorder/core/session.h"
#include "traceformat/tracesamples.h"

struct intervals;

enum { INTERVALS_EARLY = 1024 };

/* Prepares for counting if the options ask for vectors. Returns 0 or -1. */
int intervals_begin(struct session *session);
void intervals_free(struct intervals *intervals);

/*
 * Adds executions of a path by the task that have left it by an exit, after `executed` instructions
 * of the path. `times` may be negative, to take executions back. Returns 0 or -1.
 */
int intervals_add(struct task *task, uint32_t exit, unsigned executed, int64_t times);

/*
 * States that a task was killed in the middle of a superblock: the number of instructions that the
 * session counts in this interval is then not exact.
 */
void intervals_lose(struct session *session);

/*
 * Ends the interval at the marker: writes the vectors of all threads that executed anything, and
 * begins the next one. All that tasks have executed has been added; the sum must be what the
 * session has counted. Returns 0 or -1.
 */
int intervals_next(struct session *session, const struct tf_marker *marker);

/*
 * With --boundary=loop, an interval whose instructions have executed ends at the next armed head of
 * a loop (loop_heads.h). intervals_seek() arms the heads of the next tier, and adds instructions to
 * the budget in which one of them has to come. Returns the number of heads; 0: there are no further
 * ones. *fresh: some of them have never been armed before.
 */
unsigned intervals_seek(struct session *session, bool *fresh);

/* Returns true if the interval may end now: its instructions have executed. */
bool intervals_may_end(const struct session *session);

/* Ends the last interval, and writes the totals to META. Returns 0 or -1. */
int intervals_end(struct session *session);

/* Returns how many instructions before its last one the interval may end. */
uint64_t intervals_early(const struct session *session);

/* Returns true if intervals end by filtered instructions: excluded ones take no budget. */
bool intervals_are_filtered(const struct session *session);

/* Returns the number of instructions in all intervals that have ended. */
uint64_t intervals_instructions(const struct session *session);

#endif
