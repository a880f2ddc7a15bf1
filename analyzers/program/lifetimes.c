/* SPDX-License-Identifier: MIT */
#include "analyzers/program/lifetimes.h"

#include <stdlib.h>

#include "cli/common/checked.h"
#include "traceformat/common/sorted.h"

/* A life: certainly from..until, perhaps since..gone. */
struct object_life {
	uint64_t address, end;
	uint64_t furthest; /* the greatest end of this process's lives up to here */
	uint64_t since, from, until, gone;
	uint32_t process, object;
};

void lifetimes_init(struct lifetimes *l, uint32_t n_threads)
{
	*l = (struct lifetimes){ .n_threads = n_threads, .gap = UINT64_MAX };
	l->clocks = checked_array(n_threads, sizeof(*l->clocks));
}

void lifetimes_free(struct lifetimes *l)
{
	for (uint32_t i = 0; i < l->n_threads; i++)
		free(l->clocks[i].open.at);
	free(l->clocks);
	free(l->changes.at);
	free(l->execs.at);
	free(l->lives);
}

/* ---- changes ----------------------------------------------------------------------------- */

static uint64_t time_of(const struct tf_event *event)
{
	switch (event->kind) {
	case TF_EVENT_SYSCALL: return event->syscall.time_ns;
	case TF_EVENT_SYSCALL_RESULT: return event->syscall_result.time_ns;
	case TF_EVENT_THREAD_START: return event->thread_start.time_ns;
	case TF_EVENT_THREAD_EXIT: return event->thread_exit.time_ns;
	case TF_EVENT_EXEC: return event->exec.time_ns;
	case TF_EVENT_TIME: return event->time.time_ns;
	default: return 0;
	}
}

void lifetimes_event(struct lifetimes *l, const struct tf_event *event)
{
	struct object_clock *clock = &l->clocks[event->thread];
	uint64_t time = time_of(event);

	if (time < clock->now || !time)
		return;
	for (size_t i = 0; i < clock->open.count; i++)
		l->changes.at[clock->open.at[i]].not_after = time;
	clock->open.count = 0;
	clock->now = time;
}

uint64_t lifetimes_now(const struct lifetimes *l, uint32_t thread)
{
	return l->clocks[thread].now;
}

void lifetimes_add(struct lifetimes *l, const struct object_change *change)
{
	struct object_clock *clock = &l->clocks[change->thread];
	uint32_t number = (uint32_t)l->changes.count;

	CHECKED_RESERVE(l->changes, l->changes.count + 1);
	l->changes.at[number] = *change;
	l->changes.at[number].not_after = UINT64_MAX;
	l->changes.at[number].number = number;
	l->changes.count++;
	CHECKED_RESERVE(clock->open, clock->open.count + 1);
	clock->open.at[clock->open.count++] = number;
}

void lifetimes_exec(struct lifetimes *l, uint32_t process, uint32_t thread)
{
	CHECKED_RESERVE(l->execs, l->execs.count + 1);
	l->execs.at[l->execs.count++] = (struct object_exec){ process, l->clocks[thread].now };
}

void lifetimes_gap(struct lifetimes *l, uint32_t thread)
{
	/* If nothing is known yet, the gap loses nothing. */
	if (l->changes.count && l->clocks[thread].now < l->gap)
		l->gap = l->clocks[thread].now;
}

/* ---- lives ------------------------------------------------------------------------------- */

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_place_and_time(const void *a, const void *b)
{
	const struct object_change *x = a, *y = b;

	return x->process != y->process         ? order(x->process, y->process)
	       : x->address != y->address       ? order(x->address, y->address)
	       : x->not_before != y->not_before ? order(x->not_before, y->not_before)
						: order(x->number, y->number);
}

static int by_process_and_time(const void *a, const void *b)
{
	const struct object_exec *x = a, *y = b;

	return x->process != y->process ? order(x->process, y->process)
					: order(x->not_before, y->not_before);
}

static bool share_a_place(const struct object_change *a, const struct object_change *b)
{
	return a->process == b->process && a->address == b->address;
}

/* The latest not_after of changes at one place: for one thread, and for all others. */
struct latest {
	uint32_t thread;
	uint64_t its, of_others;
};

static void add_latest(struct latest *latest, const struct object_change *change)
{
	if (change->thread == latest->thread || change->not_after <= latest->its) {
		uint64_t *time = change->thread == latest->thread ? &latest->its
								  : &latest->of_others;

		if (change->not_after > *time)
			*time = change->not_after;
		return;
	}
	*latest = (struct latest){ change->thread, change->not_after, latest->its };
}

/* Returns true if another thread may have made one of the changes after this one. */
static bool may_follow(const struct latest *latest, const struct object_change *change)
{
	return (change->thread == latest->thread ? latest->of_others : latest->its) >
	       change->not_before;
}

/*
 * Returns the time at which the program that ran at `time` was replaced, or UINT64_MAX. From the
 * time of an exec on, changes belong to the next program.
 */
static uint64_t exec_after(const struct lifetimes *l, uint32_t process, uint64_t time)
{
	const struct object_exec key = { process, time + 1 };
	size_t i = PARTITION_POINT(l->execs.at, l->execs.count, exec,
				   by_process_and_time(exec, &key) < 0);

	return i < l->execs.count && l->execs.at[i].process == process ? l->execs.at[i].not_before
								       : UINT64_MAX;
}

/* Returns the life of an allocated object; next is the next change at its place, or NULL. */
static struct object_life life_of(const struct lifetimes *l, const struct object_change *change,
				  const struct object_change *next, bool disputed)
{
	uint64_t replaced = exec_after(l, change->process, change->not_before);
	struct object_life life = {
		.address = change->address,
		.end = change->address + change->size,
		.since = change->not_before,
		.from = change->not_after,
		.until = UINT64_MAX,
		.gone = UINT64_MAX,
		.process = change->process,
		.object = change->object,
	};

	if (next) {
		bool follows = next->thread == change->thread ||
			       next->not_before >= change->not_after;

		life.until = next->not_before;
		life.gone = follows ? next->not_after : UINT64_MAX;
	}
	if (replaced < life.until)
		life.until = replaced;
	if (l->gap < life.until)
		life.until = l->gap;
	if (disputed)
		life.until = 0;
	return life;
}

void lifetimes_end(struct lifetimes *l)
{
	struct latest latest = { .thread = TF_NONE };

	if (l->changes.count)
		qsort(l->changes.at, l->changes.count, sizeof(*l->changes.at), by_place_and_time);
	if (l->execs.count)
		qsort(l->execs.at, l->execs.count, sizeof(*l->execs.at), by_process_and_time);
	l->lives = checked_array(l->changes.count, sizeof(*l->lives));
	for (size_t i = 0; i < l->changes.count; i++) {
		const struct object_change *change = &l->changes.at[i];
		bool is_last = i + 1 == l->changes.count || !share_a_place(change, change + 1);
		const struct object_change *next = is_last ? NULL : change + 1;
		struct object_life *last = l->n_lives ? &l->lives[l->n_lives - 1] : NULL;

		if (change->object != TF_NONE) {
			struct object_life life = life_of(l, change, next,
							  may_follow(&latest, change));

			life.furthest = last && last->process == life.process &&
							last->furthest > life.end
						? last->furthest
						: life.end;
			l->lives[l->n_lives++] = life;
		}
		add_latest(&latest, change);
		if (!next)
			latest = (struct latest){ .thread = TF_NONE };
	}
}

/* Returns how many lives begin at or below the address. */
static size_t count_up_to(const struct lifetimes *l, uint32_t process, uint64_t address)
{
	return PARTITION_POINT(l->lives, l->n_lives, life,
			       life->process < process ||
				       (life->process == process && life->address <= address));
}

enum certainty lifetimes_find(const struct lifetimes *l, uint32_t process, uint64_t address,
			      uint64_t time, uint32_t *object)
{
	enum certainty found = NO_OBJECT;
	const struct object_life *best = NULL;

	*object = TF_NONE;
	for (size_t i = count_up_to(l, process, address); i-- > 0;) {
		const struct object_life *life = &l->lives[i];

		if (life->process != process || life->furthest <= address)
			break;
		if (address >= life->end || time < life->since || time > life->gone)
			continue;
		if (time < life->from || time > life->until)
			found = found == CERTAIN ? found : PERHAPS;
		else if (!best || life->since > best->since)
			best = life, found = CERTAIN;
	}
	if (best)
		*object = best->object;
	return found;
}
