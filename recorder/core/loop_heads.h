/* SPDX-License-Identifier: MIT */
/*
 * The places where intervals may end with --boundary=loop: heads of loops in the modules of
 * --marker-images that are not excluded. The head of a loop is the target of a jump back.
 *
 * Heads that are met rarely come first: their counts stay small, and outer loops vary least from
 * run to run. While an interval is to end, the heads of one tier are armed: a task that comes to
 * one of them stops there. If none comes soon, the heads of the next tier are armed as well. A
 * head of tier 3 may be inside a superblock, which does not stop there: which iteration ends the
 * interval depends on the superblocks, and so on time. The marker names the iteration.
 *
 *	tier	met, per filtered instruction so far
 *	1	at most once in N / 100, and at least once in N, the instructions of an interval
 *	2	at most once in 10,000
 *	3	any
 *	4	entries of functions, if a program has no loops
 */
#ifndef LOOP_HEADS_H
#define LOOP_HEADS_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

struct loop_heads;

enum { LOOP_TIERS = 4 };

/* Prepares for --boundary=loop. Returns 0 or -1. */
int loop_heads_begin(struct session *session);
void loop_heads_free(struct loop_heads *heads);

/* Add what the trace has. Return false if memory is out. */
bool loop_heads_add_module(struct session *session, const struct tf_module *module);
bool loop_heads_add_block(struct session *session, const struct tf_block *block, uint32_t id);

/* Forgets all places, because another program is executed. */
void loop_heads_forget(struct session *session);

/*
 * Arms the heads of all tiers up to this one, by the executions that the session's vector_summary
 * has. filtered: number of instructions so far. *fresh: some heads have never been armed before.
 * Returns the number of armed heads, or -1.
 */
int loop_heads_arm(struct session *session, unsigned tier, uint64_t filtered, bool *fresh);
void loop_heads_disarm(struct session *session);

/* Returns the tier of an armed head at pc, or 0 if there is none. */
unsigned loop_heads_armed(const struct session *session, uint64_t pc);

/* Returns the armed head after number *i, and adds 1 to *i; 0: there are no more. */
uint64_t loop_heads_next(const struct session *session, size_t *i);

/* Returns true if any heads are armed. */
bool loop_heads_are_armed(const struct session *session);

/* Returns true if pc has been a rare head: superblocks end before it, so that it begins one. */
bool loop_heads_is_rare(const struct session *session, uint64_t pc);

#endif
