/* SPDX-License-Identifier: MIT */
#include "recorder/core/region.h"

#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#include "recorder/core/output.h"

bool region_recording(const struct session *s)
{
	return s->phase == PHASE_RECORD;
}

bool region_counting(const struct session *s)
{
	return s->phase == PHASE_SKIP;
}

static bool has_windows(const struct record_options *o)
{
	return o->period.instructions || o->period.seconds > 0;
}

uint64_t region_use(struct session *s, uint64_t instructions)
{
	return __atomic_sub_fetch(&s->budget, instructions, __ATOMIC_RELAXED);
}

uint64_t region_left(const struct session *s)
{
	return __atomic_load_n(&s->budget, __ATOMIC_RELAXED);
}

bool region_begun(const struct session *s)
{
	return s->phase == PHASE_RECORD && (s->budget != s->whole_budget || s->windows > 1);
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
	struct task *t = s->current;

	do {
		if (write_mark(t, kind) < 0)
			return -1;
		t = t->next;
	} while (t != s->current);
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
	bool unknown = s->windows > 1 ? o->period.seconds > 0 : o->from != NULL;
	struct task *t = s->current;

	do {
		if (t->stream && (unknown || t->skipped) &&
		    write_gap(t, TF_GAP_SKIPPED, unknown ? 0 : t->skipped) < 0)
			return -1;
		t->words_untold |= t->skipped > 0;
		t->skipped = 0;
		t = t->next;
	} while (t != s->current);
	return 0;
}

static int begin(struct session *s)
{
	const struct record_options *o = s->options;
	struct tf_region region = { .name = "recorded" };

	s->left = o->count ? o->count : UINT64_MAX;
	s->window_begin = session_now();
	if (o->seconds > 0)
		s->deadline = session_now() + o->seconds;
	return asked_for(o) ? output_add_region(s->output, &region, NULL) : 0;
}

/* Sets the times at which the window ends and the next one begins, if time decides. */
static void set_times(struct session *s)
{
	const struct record_options *o = s->options;
	double now = session_now();

	s->window_changes = false;
	s->window_end = o->window.seconds > 0 ? now + o->window.seconds : 0;
	if (o->period.seconds > 0) {
		s->window_begin += o->period.seconds;
		if (s->window_begin < now) /* this window is late */
			s->window_begin = now + o->period.seconds;
	}
}

int region_record(struct session *s)
{
	uint64_t most = s->options->window.instructions;

	s->phase = PHASE_RECORD;
	if (!s->windows++ && begin(s) < 0)
		return -1;
	set_times(s);
	s->budget = most && most < s->left ? most : s->left;
	s->whole_budget = s->budget;
	return write_gaps(s) < 0 ? -1 : region_write_marks(s, TF_EVENT_REGION_BEGIN);
}

int region_follow(struct session *s)
{
	if (!s->options->skip || s->windows)
		return region_record(s);
	s->phase = PHASE_SKIP;
	s->budget = s->options->skip;
	return 0;
}

int region_start(struct task *t)
{
	if (!t->session->options->from)
		return region_follow(t->session);
	t->session->phase = PHASE_NATIVE;
	return 0;
}

bool region_window_is_due(const struct session *s, double now)
{
	if (s->phase == PHASE_NATIVE)
		return s->windows && now >= s->window_begin;
	return s->phase == PHASE_RECORD && s->window_end > 0 && now >= s->window_end;
}

void region_stop(struct session *s, const char *reason)
{
	struct task *t = s->current;

	if (s->phase == PHASE_DONE)
		return;
	s->phase = PHASE_DONE;
	s->stop_reason = reason;
	s->ended = session_now();
	for (bool first = true; t && (first || t != s->current); t = t->next, first = false)
		if (t->state == TASK_LISTENING || t->state == TASK_RUNNING)
			ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
}

int region_lose(struct task *t)
{
	return region_recording(t->session) ? write_gap(t, TF_GAP_FAULT, 0) : 0;
}

int region_leave(struct task *t)
{
	struct session *s = t->session;
	enum tf_gap_reason reason = TF_GAP_SKIPPED;

	if (s->stop_reason && strcmp(s->stop_reason, "size") == 0)
		reason = TF_GAP_SIZE_LIMIT;
	else if (s->phase != PHASE_DONE || s->failed)
		reason = TF_GAP_FAULT;
	return write_gap(t, reason, 0);
}
