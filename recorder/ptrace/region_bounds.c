/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/region_bounds.h"

#include <sys/ptrace.h>

#include "recorder/core/backend.h"
#include "recorder/core/loop.h"
#include "recorder/core/region.h"
#include "recorder/ptrace/process.h"
#include "recorder/ptrace/syscalls.h"

int region_from(struct task *t)
{
	struct session *s = t->session;

	/* changes of mappings were not seen while the tasks ran natively */
	if (process_look(s) < 0)
		return -1;
	for (struct task *other = t->next; other != t; other = other->next)
		if (other->state == TASK_RUNNING)
			ptrace(PTRACE_INTERRUPT, other->tid, NULL, NULL);
	s->tasks.current = t;
	return syscalls_segments(t) < 0 ? -1 : region_follow(s);
}

static int synchronize_all(struct task *t)
{
	return synchronize_others(t->session, t, NULL, NULL) < 0 ||
			       t->session->backend->synchronize(t) < 0
		       ? -1
		       : 0;
}

int region_budget(struct task *t)
{
	struct session *s = t->session;

	if (region_recording(s))
		return s->region.left > s->region.whole_budget ? region_window_end(t)
							       : region_end(t, "count");
	if (synchronize_all(t) < 0)
		return -1;
	return s->region.budget ? 0 : region_record(s); /* others may have taken some and not used
							   them */
}

/* Ends the window. All that the tasks have executed by now is recorded. */
static int end_window(struct task *t)
{
	if (synchronize_all(t) < 0)
		return -1;
	return region_write_marks(t->session, TF_EVENT_REGION_END);
}

int region_window_end(struct task *t)
{
	const struct record_extent *period = &t->session->options->period;
	struct session *s = t->session;
	uint64_t recorded = s->region.whole_budget - s->region.budget;

	if (end_window(t) < 0)
		return -1;
	s->region.window_changes = false;
	if (s->region.left != UINT64_MAX)
		s->region.left -= recorded;
	s->region.phase = period->instructions ? PHASE_SKIP : PHASE_NATIVE;
	s->region.budget = period->instructions - recorded;
	return 0;
}

int region_end(struct task *t, const char *reason)
{
	if (end_window(t) < 0)
		return -1;
	region_stop(t->session, reason);
	return 0;
}
