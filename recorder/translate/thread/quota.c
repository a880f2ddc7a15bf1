/* SPDX-License-Identifier: MIT */
#include "recorder/translate/thread/quota.h"

#include "recorder/core/marker_budgets.h"
#include "recorder/core/region.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/translate/thread/burst_sampling.h"

enum {
	/* most instructions past the quota: a superblock before its test, and two pending counts */
	OVERRUN = PLAN_COLD_INSNS + 2 * COUNT_MOST_PENDING + 1,
	LEAST = 64,         /* instructions that are worth entering the cache for */
	MOST = INT32_MAX,   /* the upper half of `remaining` stays 0, see count.c */
	TURN = 1 << 20,     /* the quota of one turn */
	EVEN_PART = 16,     /* one part in so many of a quota is divided evenly */
	FORGET = 4,         /* what was used counts so many times less after each stay */
	EXCLUDED = 1 << 30, /* the quota of excluded instructions, unless tasks run in turns */
};

/* Returns how many instructions tasks may execute past their quotas. */
static uint64_t overrun(const struct session *s)
{
	return OVERRUN * (region_is_parallel(s) ? (uint64_t)s->tasks.count : 1);
}

bool quota_is_useless(const struct session *s)
{
	return region_left(s) < overrun(s) + LEAST;
}

/* Returns a counter's part of the quota, of `n` counters that used so many instructions. */
static uint64_t part_of(uint64_t quota, uint64_t used, uint64_t used_by_all, unsigned n)
{
	double share = used_by_all ? (double)used / (double)used_by_all : 1. / n;

	return quota / EVEN_PART / n + (uint64_t)(share * (double)(quota - quota / EVEN_PART));
}

/* Takes a part of a marker's budget and of the quota. A bounded superblock stops after each
 * execution. */
static void take_marker(struct task *t, unsigned i, uint64_t part, bool bounded)
{
	struct session *s = t->session;
	struct thread *th = thread_of(t);
	unsigned parts = s->tasks.count < 2 ? 1 : region_is_parallel(s) ? 2 * s->tasks.count : 2;

	th->quota_marker[i] = bounded ? -1 : marker_budget_take(s, i, parts, (int64_t)part);
	th->context->remaining_marker[i] = bounded ? 0 : th->quota_marker[i];
}

/* Divides a small part of the quota evenly among the counters, and the rest as they were used. The
 * first counter that is used up ends the stay, so the parts should be used up together. */
static void divide(struct task *t, uint64_t quota, bool bounded)
{
	struct thread *th = thread_of(t);
	uint64_t used = 0;
	unsigned n;

	th->n_markers = marker_budgets_n(t->session);
	n = CONTEXT_COUNTERS + th->n_markers;
	for (unsigned i = 0; i < CONTEXT_COUNTERS; i++)
		used += th->used[i];
	for (unsigned i = 0; i < th->n_markers; i++)
		used += th->used_marker[i];
	for (unsigned i = 0; i < CONTEXT_COUNTERS; i++) {
		th->quotas[i] = part_of(quota, th->used[i], used, n);
		th->context->remaining[i] = (int64_t)th->quotas[i];
	}
	for (unsigned i = 0; i < th->n_markers; i++)
		take_marker(t, i, part_of(quota, th->used_marker[i], used, n), bounded);
}

/* Adds what a stay has used to what earlier stays have used. */
static void note_used(uint64_t *used, int64_t instructions)
{
	*used = *used / FORGET + (instructions > 0 ? (uint64_t)instructions : 0);
}

/* Returns the parts of the budgets of markers, and how many instructions they were used for. */
static uint64_t return_markers(struct task *t)
{
	struct thread *th = thread_of(t);
	int64_t used = 0;

	for (unsigned i = 0; i < th->n_markers; i++) {
		int64_t part = th->quota_marker[i] + 1;
		int64_t executed = (part ? part - 1 : 0) - th->context->remaining_marker[i];

		marker_budget_return(t->session, i, part, executed);
		note_used(&th->used_marker[i], executed);
		used += executed;
	}
	return (uint64_t)used;
}

void quota_take(struct task *t, const struct translation *superblock)
{
	struct session *s = t->session;
	bool in_turns = s->tasks.count > 1 && schedule_is_serial(s);
	uint64_t most = in_turns ? TURN : MOST,
		 quota = superblock->bounded ? superblock->n_insns : region_left(s) - overrun(s);
	uint64_t next = burst_next(t);
	struct thread *th = thread_of(t);

	if (most > next)
		most = next;
	/* other tasks take parts, too, see region_look_at_rest() */
	if (!superblock->bounded && region_is_parallel(s))
		quota /= 2 * s->tasks.count;
	th->quota = quota < most ? quota : most;
	region_use(s, th->quota);
	divide(t, superblock->bounded ? 0 : th->quota, superblock->bounded);
	th->context->remaining[0] += superblock->pending;
	th->quota_excluded = superblock->bounded ? 0 : in_turns ? TURN : EXCLUDED;
	th->context->remaining_excluded = th->quota_excluded;
}

void quota_reserve(struct task *t)
{
	enum { MOST_EXECUTED = AREA_LIMITED_BYTES / RECORD_HEADER * PLAN_COLD_INSNS };
	struct burst *burst = &thread_of(t)->burst;

	burst->reserved = burst->on ? MOST_EXECUTED : 0;
	region_use(t->session, burst->reserved);
}

void quota_execute(struct task *t, uint64_t instructions, bool excluded)
{
	region_skip(t, instructions);
	thread_of(t)->burst.executed += instructions;
	region_use_of(t->session, instructions, excluded);
}

void quota_leave(struct task *t, int uncounted, bool excluded)
{
	struct thread *th = thread_of(t);
	uint64_t used = excluded ? 0 : (uint64_t)(int64_t)uncounted;
	uint64_t used_excluded = excluded ? (uint64_t)(int64_t)uncounted : 0;

	region_use(t->session, -th->burst.reserved);
	th->burst.reserved = 0;
	if (!th->quota)
		return;
	for (unsigned i = 0; i < CONTEXT_COUNTERS; i++) {
		int64_t part = (int64_t)th->quotas[i] - th->context->remaining[i];

		used += (uint64_t)part;
		note_used(&th->used[i], part);
	}
	used += return_markers(t);
	used_excluded += (uint64_t)(th->quota_excluded - th->context->remaining_excluded);
	region_use(t->session, -th->quota);
	quota_execute(t, used, false);
	quota_execute(t, used_excluded, true);
	t->progress += used + used_excluded;
	th->quota = 0;
}

bool quota_is_bounded(const struct thread *th)
{
	enum { BRIEF = 1 << 20 }; /* instructions: a fraction of a millisecond */

	return th->quota && th->quota < BRIEF;
}

bool quota_is_used_up(const struct thread *th)
{
	for (unsigned i = 0; th->quota && i < CONTEXT_COUNTERS; i++)
		if (th->context->remaining[i] < 0)
			return true;
	for (unsigned i = 0; th->quota && i < th->n_markers; i++)
		if (th->context->remaining_marker[i] < 0)
			return true;
	return th->quota && th->context->remaining_excluded < 0;
}

void quota_add_syscall(struct task *t, bool excluded)
{
	quota_execute(t, 1, excluded);
}

void quota_undo_syscall(struct task *t, bool excluded)
{
	quota_execute(t, -UINT64_C(1), excluded);
}
