/* SPDX-License-Identifier: MIT */
#include "recorder/core/region.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#include "recorder/core/intervals.h"
#include "recorder/core/output.h"
#include "recorder/core/points.h"

bool region_recording(const struct session *s)
{
	return s->region.phase == PHASE_RECORD;
}

bool region_counting(const struct session *s)
{
	return s->region.phase == PHASE_SKIP;
}

bool region_is_native(const struct session *s)
{
	return s->region.phase == PHASE_NATIVE;
}

bool region_is_over(const struct session *s)
{
	return s->region.phase == PHASE_DONE;
}

bool region_is_entered(const struct session *s)
{
	return s->region.windows;
}

static bool has_windows(const struct record_options *o)
{
	return o->period.instructions || o->period.seconds > 0;
}

uint64_t region_use(struct session *s, uint64_t instructions)
{
	return atomic_fetch_sub_explicit(&s->region.budget, instructions, memory_order_relaxed) -
	       instructions;
}

uint64_t region_use_of(struct session *s, uint64_t instructions, bool excluded)
{
	if (!excluded || !intervals_are_filtered(s) || region_recording(s))
		return region_use(s, instructions);
	atomic_fetch_add_explicit(&s->region.excluded, instructions, memory_order_relaxed);
	return region_left(s);
}

void region_skip(struct task *t, uint64_t instructions)
{
	t->trace.skipped += instructions;
}

uint64_t region_left(const struct session *s)
{
	uint64_t left = atomic_load_explicit(&s->region.budget, memory_order_relaxed);

	/* tasks that run at the same time may each have executed, or encoders written, the last
	 * instruction; a task that others wait for may keep its turn's quota when they go on */
	bool has_end = points_end_windows(s) || s->region.whole_budget <= INT64_MAX;
	bool exceeded = left > INT64_MAX &&
			(region_counting(s) || (region_recording(s) && has_end));

	return exceeded ? 0 : left;
}

bool region_is_parallel(const struct session *s)
{
	bool exact = s->intervals && s->options->boundary == BOUNDARY_EXACT;

	if (!region_counting(s) || s->tasks.count < 2)
		return false;
	if (s->points)
		return points_run_in_parallel(s);
	return !s->schedule.serial && !exact && !s->region.in_turns;
}

enum { SHORT = 1 << 16 };

bool region_runs_short(const struct session *s)
{
	return region_is_parallel(s) && (int64_t)s->region.budget <= SHORT;
}

/* A task takes less than half of what is left, see quota.c: all parts together are less than what
 * is left apart from them. */
void region_look_at_rest(struct session *s)
{
	if (region_is_parallel(s) && (int64_t)s->region.budget <= 2 * SHORT)
		s->region.in_turns = true;
}

bool region_begun(const struct session *s)
{
	return s->region.phase == PHASE_RECORD &&
	       (s->region.budget != s->region.whole_budget || s->region.windows > 1);
}

static bool asked_for(const struct record_options *o)
{
	return o->from || o->to || o->skip || o->count || o->seconds > 0 || has_windows(o);
}

static int write_mark(struct task *t, enum tf_event_kind kind)
{
	struct tf_event event = { .kind = kind, .region.index = 0 };

	return asked_for(t->session->options) ? output_event(t->session->output, t, &event) : 0;
}

int region_write_marks(const struct session *s, enum tf_event_kind kind)
{
	FOR_EACH_TASK (s, t)
		if (write_mark(t, kind) < 0)
			return -1;
	return 0;
}

int region_join(struct task *t)
{
	return region_recording(t->session) ? write_mark(t, TF_EVENT_REGION_BEGIN) : 0;
}

static int write_gap(struct task *t, enum tf_gap_reason reason, uint64_t instructions)
{
	struct tf_event event = { .kind = TF_EVENT_GAP, .gap = { reason, instructions } };

	return output_event(t->session->output, t, &event);
}

/* Writes what was left out before the window, in the stream of every task. */
static int write_gaps(struct session *s)
{
	const struct record_options *o = s->options;
	bool unknown = s->region.windows > 1 ? o->period.seconds > 0 : o->from != NULL;

	FOR_EACH_TASK (s, t) {
		if (t->trace.stream && (unknown || t->trace.skipped) &&
		    write_gap(t, TF_GAP_SKIPPED, unknown ? 0 : t->trace.skipped) < 0)
			return -1;
		t->trace.lacks_words |= t->trace.skipped > 0;
		t->trace.skipped = 0;
	}
	return 0;
}

static int begin(struct session *s)
{
	const struct record_options *o = s->options;
	struct tf_region region = { .name = "recorded" };

	s->region.left = o->count ? o->count : UINT64_MAX;
	s->region.window_begin = session_now();
	if (o->seconds > 0)
		s->region.deadline = session_now() + o->seconds;
	return asked_for(o) ? output_add_region(s->output, &region, NULL) : 0;
}

/* Sets the times at which the window ends and the next one begins, if time decides. */
static void set_times(struct session *s)
{
	const struct record_options *o = s->options;
	double now = session_now();

	s->region.window_changes = false;
	s->region.window_end = o->window.seconds > 0 ? now + o->window.seconds : 0;
	if (o->period.seconds > 0) {
		s->region.window_begin += o->period.seconds;
		if (s->region.window_begin < now) /* this window is late */
			s->region.window_begin = now + o->period.seconds;
	}
}

int region_record(struct session *s)
{
	uint64_t most = s->options->window.instructions;

	s->region.phase = PHASE_RECORD;
	s->region.in_turns = false;
	if (!s->region.windows++ && begin(s) < 0)
		return -1;
	set_times(s);
	s->region.budget = most && most < s->region.left ? most : s->region.left;
	s->region.whole_budget = s->region.budget;
	return write_gaps(s) < 0 ? -1 : region_write_marks(s, TF_EVENT_REGION_BEGIN);
}

/* Enters PHASE_SKIP for the first interval, until the program or --time ends. */
static int count_intervals(struct session *s)
{
	s->region.phase = PHASE_SKIP;
	s->region.budget = s->region.whole_budget = s->options->interval;
	if (s->options->seconds > 0)
		s->region.deadline = session_now() + s->options->seconds;
	return 0;
}

int region_follow_points(struct session *s, bool *over)
{
	uint64_t budget;
	enum points_step step = points_next(s, &budget);

	*over = step == POINTS_OVER;
	if (step == POINTS_COUNT) {
		s->region.phase = PHASE_SKIP;
		s->region.budget = s->region.whole_budget = budget;
	}
	if (step != POINTS_RECORD)
		return 0;
	if (!region_recording(s) && (points_open_window(s) < 0 || region_record(s) < 0))
		return -1;
	if (points_end_windows(s))
		s->region.budget = s->region.whole_budget = budget;
	return 0;
}

int region_follow(struct session *s)
{
	bool over;

	if (s->points)
		return region_follow_points(s, &over);
	if (s->intervals)
		return count_intervals(s);
	if (!s->options->skip || s->region.windows)
		return region_record(s);
	s->region.phase = PHASE_SKIP;
	s->region.budget = s->options->skip < INT64_MAX ? s->options->skip : INT64_MAX;
	return 0;
}

int region_start(struct task *t)
{
	if (!t->session->options->from)
		return region_follow(t->session);
	t->session->region.phase = PHASE_NATIVE;
	return 0;
}

static bool window_is_due(const struct session *s, double now)
{
	if (points_look(s))
		return true;
	if (s->region.phase == PHASE_NATIVE)
		return s->region.windows && now >= s->region.window_begin;
	return s->region.phase == PHASE_RECORD && s->region.window_end > 0 &&
	       now >= s->region.window_end;
}

void region_start_clock(struct session *s)
{
	s->region.started = session_now();
}

void region_request_end(struct session *s, const char *reason)
{
	s->region.ending = reason;
	if (s->region.phase < PHASE_RECORD)
		region_stop(s, reason);
}

const char *region_requested_end(const struct session *s)
{
	return s->region.ending;
}

bool region_look(struct session *s, double now)
{
	struct region *r = &s->region;

	if (r->deadline > 0 && now >= r->deadline)
		region_request_end(s, "time");
	r->window_changes |= window_is_due(s, now);
	return r->ending || r->window_changes;
}

bool region_window_is_due(const struct session *s)
{
	return s->region.window_changes;
}

void region_stop(struct session *s, const char *reason)
{
	if (s->region.phase == PHASE_DONE)
		return;
	s->region.phase = PHASE_DONE;
	intervals_lose(s);
	s->region.stop_reason = reason;
	s->region.ended = session_now();
	FOR_EACH_TASK (s, t)
		if (t->state == TASK_LISTENING || t->state == TASK_RUNNING)
			ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
}

const char *region_stop_reason(struct session *s)
{
	if (!s->region.stop_reason)
		s->region.stop_reason = "exit";
	if (s->region.ended == 0)
		s->region.ended = session_now();
	return s->region.stop_reason;
}

double region_seconds(const struct session *s)
{
	return s->region.ended - s->region.started;
}

int region_lose(struct task *t)
{
	return region_recording(t->session) ? write_gap(t, TF_GAP_FAULT, 0) : 0;
}

int region_leave(struct task *t)
{
	struct session *s = t->session;
	enum tf_gap_reason reason = TF_GAP_SKIPPED;

	if (s->region.stop_reason && strcmp(s->region.stop_reason, "size") == 0)
		reason = TF_GAP_SIZE_LIMIT;
	else if (s->region.phase != PHASE_DONE || s->error.is_set)
		reason = TF_GAP_FAULT;
	return write_gap(t, reason, 0);
}
