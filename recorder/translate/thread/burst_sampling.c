/* SPDX-License-Identifier: MIT */
/*
 * A window also serves as a burst. While many new superblocks are made, as when a program starts,
 * no burst begins: what the program executes then is soon over. A burst that has led to many
 * extended superblocks is soon followed by the next one; bursts that lead to none become rare.
 */
#include "recorder/translate/thread/burst_sampling.h"

#include "recorder/core/loop_heads.h"
#include "recorder/core/points.h"
#include "recorder/core/region.h"

/* Lengths and intervals, in instructions. The first burst comes early. While bursts lead to many
 * extended superblocks, the interval stays the same; then it doubles up to a limit, which is higher
 * once nothing is extended any more, because a burst is useful only after the program has come to
 * new code. While a program starts, much code is new and runs only for a moment, so a burst is
 * postponed. */
enum {
	LENGTH = 1 << 21,
	FIRST_INTERVAL = 1 << 23,
	LAST_INTERVAL = 1 << 30,
	QUIET = 8,       /* factor on LAST_INTERVAL while nothing is extended */
	LEAST = 1 << 12, /* enough instructions for a task to get on */
	SOON = 16,       /* a burst may begin in the last 1/SOON of an interval */
	/* for each thread, as the records of a burst must not exceed the budget */
	LEAST_BUDGET = 1 << 25,
	MANY_SUPERBLOCKS = 256, /* new superblocks that show a program still in new code */
	MANY_EXTENDED = 16,     /* extended superblocks */
};

static bool is_possible(const struct task *t)
{
	const struct session *s = t->session;

	return region_counting(s) && thread_of(t)->hot_paths && !loop_heads_are_armed(s) &&
	       points_allow_burst(s) && region_left(s) / s->tasks.count > LEAST_BUDGET;
}

static bool is_due(const struct burst *burst)
{
	uint64_t soon = burst->on ? 0 : burst->interval / SOON;

	return burst->executed + soon >= burst->next;
}

/* Restarts the interval. A recorded thread needs no burst, as its records are profiled. */
static void put_off(struct burst *burst)
{
	burst->on = false;
	burst->next = burst->executed + burst->interval;
}

static void begin(struct thread *th)
{
	th->burst.on = true;
	th->burst.next = th->burst.executed + LENGTH;
	hot_paths_begin(th->hot_paths);
}

/* Returns the interval after a burst that led to `extended` superblocks. */
static uint64_t next_interval(const struct burst *burst, uint64_t extended)
{
	uint64_t last = (uint64_t)LAST_INTERVAL * (extended ? 1 : QUIET);
	uint64_t interval = 2 * burst->interval;

	if (!interval)
		return FIRST_INTERVAL;
	if (extended >= MANY_EXTENDED)
		return burst->interval;
	return interval < last ? interval : last;
}

static void end(struct task *t)
{
	const struct record_stats *stats = &t->session->stats;
	struct burst *burst = &thread_of(t)->burst;

	burst->on = false;
	burst->interval = next_interval(burst, stats->extended - burst->extended);
	burst->next = burst->executed + burst->interval;
	burst->superblocks = stats->superblocks;
	burst->extended = stats->extended;
}

/* Postpones a burst if many superblocks have been made since the last time. */
static bool postpone(struct task *t)
{
	struct burst *burst = &thread_of(t)->burst;
	uint64_t made = t->session->stats.superblocks - burst->superblocks;

	burst->superblocks += made;
	if (made < MANY_SUPERBLOCKS)
		return false;
	burst->next = burst->executed + FIRST_INTERVAL;
	return true;
}

void burst_decide(struct task *t)
{
	struct thread *th = thread_of(t);

	if (region_recording(t->session))
		put_off(&th->burst);
	if (!is_possible(t)) {
		th->burst.on = false;
		return;
	}
	if (!is_due(&th->burst))
		return;
	if (th->burst.on || !th->burst.interval)
		end(t);
	else if (!postpone(t))
		begin(th);
}

bool burst_only_counts(const struct task *t)
{
	return region_counting(t->session) && !thread_of(t)->burst.on;
}

uint64_t burst_next(const struct task *t)
{
	const struct burst *burst = &thread_of(t)->burst;

	if (!is_possible(t))
		return UINT64_MAX;
	return burst->next > burst->executed + LEAST ? burst->next - burst->executed : LEAST;
}
