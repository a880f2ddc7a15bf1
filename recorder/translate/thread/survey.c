/* SPDX-License-Identifier: MIT */
#include "recorder/translate/thread/survey.h"

#include "recorder/region.h"

/* In instructions. The first survey is early, and the next ones come later and later: what they
 * tell is new when the program has come to something else. While it still does, as a program that
 * starts, they would tell of what runs but for a moment. */
enum {
	LENGTH = 1 << 21,
	FIRST_INTERVAL = 1 << 23,
	LAST_INTERVAL = 1 << 30,
	LEAST = 1 << 12,		/* it gets somewhere with so many */
	LEAST_BUDGET = 1 << 25,		/* of each thread: its records must not exceed it */
	MANY_PATHS = 256,		/* not instructions: so many are new where it still does */
};

static bool is_possible(const struct task *t)
{
	const struct session *s = t->session;

	return region_counting(s) && thread_of(t)->profile && region_left(s) / s->n_tasks > LEAST_BUDGET;
}

static void begin(struct thread *th)
{
	th->survey.on = true;
	th->survey.next = th->survey.executed + LENGTH;
	profile_begin(th->profile);
}

static void end(struct task *t)
{
	struct thread *th = thread_of(t);
	uint64_t interval = th->survey.interval ? 2 * th->survey.interval : FIRST_INTERVAL;

	th->survey.on = false;
	th->survey.interval = interval < LAST_INTERVAL ? interval : LAST_INTERVAL;
	th->survey.next = th->survey.executed + th->survey.interval;
	th->survey.paths = t->session->stats.paths;
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

	if (!is_possible(t)) {
		th->survey.on = false;
		return;
	}
	if (th->survey.executed < th->survey.next)
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
