/* SPDX-License-Identifier: MIT */
/*
 * The places where intervals may end with --boundary=loop: heads of loops that are not excluded, in
 * the modules of --marker-images. The head of a loop is the target of a jump back.
 *
 * By default these are the program's own module and, if no head of it comes, other ones, such as a
 * library whose threads do the work. Heads of the C library are no markers: some of its loops wait
 * for a lock, and so depend on chance.
 *
 * Heads that are met rarely come first: their counts stay small, and outer loops vary least from
 * run to run. While an interval is to end, the heads of one tier are armed: a task that comes to
 * one of them stops there. If none comes soon, or if the interval has met none of them so far, the
 * heads of the next tier are armed as well. A head of tier 3 or 6 may be inside a superblock, which
 * does not stop there: which iteration ends the interval depends on the superblocks, and so on
 * time. The marker names the iteration.
 *
 *	tier	met, per filtered instruction so far
 *	1	at most once in N / 100, and at least once in N, the instructions of an interval
 *	2	at most once in 10,000
 *	3	any
 *	4	entries of functions, if a program has no loops
 *	5	in another module, at most once in 10,000
 *	6	in another module, any
 */
#ifndef LOOP_HEADS_H
#define LOOP_HEADS_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

struct loop_heads;

enum { LOOP_TIERS = 6 };

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
 * has. filtered: number of instructions so far. Returns what is armed.
 */
struct loop_heads_armed {
	unsigned heads;
	bool fresh; /* some of them have never been armed before */
	bool met;   /* some of this tier were executed in this interval */
};
struct loop_heads_armed loop_heads_arm(struct session *session, unsigned tier, uint64_t filtered);
void loop_heads_disarm(struct session *session);

/* Returns the tier of an armed head at pc, or 0 if there is none. */
unsigned loop_heads_tier(const struct session *session, uint64_t pc);

/* Returns the armed head after number *i, and adds 1 to *i; 0: there are no more. */
uint64_t loop_heads_next(const struct session *session, size_t *i);

/* Returns true if any heads are armed. */
bool loop_heads_are_armed(const struct session *session);

/* Returns true if pc has been a rare head: superblocks end before it, so that it begins one. */
bool loop_heads_is_rare(const struct session *session, uint64_t pc);

#endif
