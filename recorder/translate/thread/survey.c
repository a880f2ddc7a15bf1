/* SPDX-License-Identifier: MIT */
#include "recorder/translate/thread/survey.h"

#include "recorder/region.h"

/* In instructions. The first survey is early, the next ones follow as soon while much is joined,
 * and then later and later, the more so once nothing is joined any more: what they tell is new when
 * the program has come to something else. While it still does, as a program that starts, they would
 * tell of what runs but for a moment. */
enum {
	LENGTH = 1 << 21,
	FIRST_INTERVAL = 1 << 23,
	LAST_INTERVAL = 1 << 30,
	QUIET = 8,			/* times LAST_INTERVAL, where nothing is joined */
	LEAST = 1 << 12,		/* it gets somewhere with so many */
	SOON = 16,			/* the last 1/SOON of an interval need not be awaited */
	LEAST_BUDGET = 1 << 25,		/* of each thread: its records must not exceed it */
	MANY_PATHS = 256,		/* not instructions: so many are new where it still does */
	MUCH_JOINED = 16,		/* paths as well */
};

static bool is_possible(const struct task *t)
{
	const struct session *s = t->session;

	return region_counting(s) && thread_of(t)->profile && region_left(s) / s->n_tasks > LEAST_BUDGET;
}

static bool is_due(const struct survey *survey)
{
	uint64_t soon = survey->on ? 0 : survey->interval / SOON;

	return survey->executed + soon >= survey->next;
}

/* What is recorded is profiled as well. */
static void put_off(struct survey *survey)
{
	survey->on = false;
	survey->next = survey->executed + survey->interval;
}

static void begin(struct thread *th)
{
	th->survey.on = true;
	th->survey.next = th->survey.executed + LENGTH;
	profile_begin(th->profile);
}

/* Behind one by which so many paths have been joined. */
static uint64_t next_interval(const struct survey *survey, uint64_t joined)
{
	uint64_t last = (uint64_t)LAST_INTERVAL * (joined ? 1 : QUIET);
	uint64_t interval = 2 * survey->interval;

	if (!interval)
		return FIRST_INTERVAL;
	if (joined >= MUCH_JOINED)
		return survey->interval;
	return interval < last ? interval : last;
}

static void end(struct task *t)
{
	const struct record_stats *stats = &t->session->stats;
	struct survey *survey = &thread_of(t)->survey;

	survey->on = false;
	survey->interval = next_interval(survey, stats->joined - survey->joined);
	survey->next = survey->executed + survey->interval;
	survey->paths = stats->paths;
	survey->joined = stats->joined;
}

/* Looks again a little later if many paths have been made since it looked last. */
static bool postpone(struct task *t)
{
	struct survey *survey = &thread_of(t)->survey;
	uint64_t made = t->session->stats.paths - survey->paths;

	survey->paths += made;
	if (made < MANY_PATHS)
		return false;
	survey->next = survey->executed + FIRST_INTERVAL;
	return true;
}

void survey_decide(struct task *t)
{
	struct thread *th = thread_of(t);

	if (region_recording(t->session))
		put_off(&th->survey);
	if (!is_possible(t)) {
		th->survey.on = false;
		return;
	}
	if (!is_due(&th->survey))
		return;
	if (th->survey.on || !th->survey.interval)
		end(t);
	else if (!postpone(t))
		begin(th);
}

bool survey_only_counts(const struct task *t)
{
	return region_counting(t->session) && !thread_of(t)->survey.on;
}

uint64_t survey_next(const struct task *t)
{
	const struct survey *survey = &thread_of(t)->survey;

	if (!is_possible(t))
		return UINT64_MAX;
	return survey->next > survey->executed + LEAST ? survey->next - survey->executed : LEAST;
}
