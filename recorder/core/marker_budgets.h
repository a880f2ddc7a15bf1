/* SPDX-License-Identifier: MIT */
/*
 * Limits how often tasks may execute the instructions of markers where they are only counted, so
 * that no marked execution is missed, however early it comes (points.h).
 *
 * A watched instruction begins its block, and a counting variant that begins with that block has
 * no other. It counts its instructions with a counter of its own, which starts from a part of the
 * marker's budget and traps below 0, as the counters of context.remaining do (count.c, quota.h).
 * Each execution takes at least one instruction, so a budget is never used up too late. Once it
 * is, the recorder looks at the exact counts, and sets the budget again: so it looks a
 * logarithmic number of times, and loops that are no marker's cost nothing.
 *
 * Markers share budgets if there are many. All threads of the recorder may call these functions.
 */
#ifndef MARKER_BUDGETS_H
#define MARKER_BUDGETS_H

#include "recorder/core/marked_insns.h"
#include "recorder/core/session.h"

struct marker_budgets;

enum { MARKER_BUDGETS = 64 };

/*
 * Returns NULL if memory is out. counts: of the markers, whose executions are taken off the
 * budgets.
 */
struct marker_budgets *marker_budgets_new(struct marked_insns *counts);
void marker_budgets_free(struct marker_budgets *budgets);

/*
 * Watches a marker, by number. To be called before the program runs. Returns false if memory is
 * out.
 */
bool marker_budgets_watch(struct marker_budgets *budgets, uint32_t number);

/*
 * Returns the budget of the first watched instruction of the block, from 1, and its index in *insn;
 * 0: the block has none, or the session has no budgets.
 */
unsigned marker_budget_of(const struct session *session, const struct tf_block *block,
			  unsigned *insn);

/* Lifts all limits; lowers the limit of a marker's executions, from where the program stands.
 * marker_budgets_limit() returns false if the marker is not watched. */
void marker_budgets_lift(struct marker_budgets *budgets);
bool marker_budgets_limit(struct marker_budgets *budgets, uint32_t number, uint64_t executions);

/* Returns how many budgets there are; budgets of a session are 0 to that. */
unsigned marker_budgets_n(const struct session *session);

/*
 * Takes a part of a budget, one of `parts`, for a task: returns how many instructions of watched
 * blocks it may execute, `most` or fewer. It may exceed them by one block, which is reserved as
 * well.
 */
int64_t marker_budget_take(struct session *session, unsigned budget, unsigned parts, int64_t most);

/* Returns a task's part, of which so many instructions were executed. */
void marker_budget_return(struct session *session, unsigned budget, int64_t part, int64_t executed);

/* Returns true if a budget is used up, so that points_next() has to look. */
bool marker_budgets_are_due(const struct session *session);

#endif
