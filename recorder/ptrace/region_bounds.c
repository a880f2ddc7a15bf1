/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/region_bounds.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "recorder/core/backend.h"
#include "recorder/core/intervals.h"
#include "recorder/core/loop.h"
#include "recorder/core/loop_heads.h"
#include "recorder/core/marker_budgets.h"
#include "recorder/core/output.h"
#include "recorder/core/points.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/block_at.h"
#include "recorder/program/dictionary.h"
#include "recorder/ptrace/altered_syscalls.h"
#include "recorder/ptrace/breakpoints.h"
#include "recorder/ptrace/confinement.h"
#include "recorder/ptrace/dispatch.h"
#include "recorder/ptrace/extended_state.h"
#include "recorder/ptrace/mappings.h"
#include "recorder/ptrace/process.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/signal_rate.h"
#include "recorder/ptrace/signals.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/x87_state.h"

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

/* Sets the marker to the place where the task stands, if there is code. Returns 0 or -1. */
static int find_marker(struct task *t, struct tf_marker *marker)
{
	struct output *o = t->session->output;
	struct code_block *block;
	int status;

	*marker = (struct tf_marker){ .block = TF_NONE,
				      .thread = t->trace.thread,
				      .tier = loop_heads_tier(t->session, t->regs.rip) };
	if (block_at(t, t->regs.rip, &block, NULL) < 0)
		return -1;
	if (!block)
		return 0;
	output_lock(o);
	status = dictionary_publish(block, o);
	output_unlock(o);
	marker->block = block->trace.id;
	return status;
}

/* Counts all that tasks, which are synchronized, have executed. */
static int take_counters(struct task *t)
{
	struct session *s = t->session;
	struct task *other = t;

	do {
		if (s->backend->end_interval && s->backend->end_interval(other) < 0)
			return -1;
		other = other->next;
	} while (other != t);
	return 0;
}

/* Ends the interval. The next one gets the instructions that are left. */
static int end_interval(struct task *t)
{
	struct session *s = t->session;
	struct tf_marker marker;

	if (take_counters(t) < 0 || find_marker(t, &marker) < 0)
		return -1;
	if (loop_heads_are_armed(s)) {
		loop_heads_disarm(s);
		if (s->backend->arm(t, false) < 0)
			return -1;
	}
	return intervals_next(s, &marker);
}

/* Lets the interval end at the next head of a loop. If there is none, it ends where the task
 * stands. */
static int seek_head(struct task *t)
{
	struct session *s = t->session;
	bool fresh;

	if (take_counters(t) < 0)
		return -1;
	if (intervals_seek(s, &fresh))
		return s->backend->arm(t, fresh);
	return intervals_may_end(s) ? end_interval(t) : 0;
}

int region_head(struct task *t)
{
	if (synchronize_all(t) < 0)
		return -1;
	return intervals_may_end(t->session) ? end_interval(t) : 0;
}

/* Enters the next phase of a recording of slices. */
static int follow_points(struct task *t)
{
	struct session *s = t->session;
	bool over;

	if (take_counters(t) < 0 || region_follow_points(s, &over) < 0)
		return -1;
	s->region.window_changes = false;
	if (!over)
		return 0;
	if (s->options->kill_at_end)
		kill(s->main.pid, SIGKILL);
	region_stop(s, "points");
	return 0;
}

/* Returns true if points_next() has to look, as a budget is used up. */
static bool points_are_due(const struct session *s)
{
	return region_left(s) <= intervals_early(s) || region_runs_short(s) ||
	       marker_budgets_are_due(s);
}

int region_budget(struct task *t)
{
	struct session *s = t->session;
	bool due = region_counting(s) && marker_budgets_are_due(s);

	if (region_recording(s))
		return s->region.left > s->region.whole_budget ? region_window_end(t)
							       : region_end(t, "count");
	if (synchronize_all(t) < 0)
		return -1;
	/* others may have taken some and not used them */
	if (s->points)
		return due || points_are_due(s) ? follow_points(t) : 0;
	region_look_at_rest(s);
	if (s->intervals && region_left(s) > intervals_early(s))
		return 0;
	if (s->intervals)
		return s->loop_heads ? seek_head(t) : end_interval(t);
	return region_left(s) ? 0 : region_record(s);
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
	uint64_t recorded;

	if (s->points)
		return synchronize_all(t) < 0 ? -1 : follow_points(t);
	if (end_window(t) < 0)
		return -1;
	/* Only now have encoders written all records. */
	recorded = s->region.whole_budget - s->region.budget;
	s->region.window_changes = false;
	if (s->region.left != UINT64_MAX)
		s->region.left = recorded < s->region.left ? s->region.left - recorded : 0;
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

/* ---- native execution ---- */

/* Removes what the last window has left in a task. */
static int leave_window(struct task *t)
{
	struct session *s = t->session;

	if (t->state != TASK_READY || !t->life.begun)
		return 0;
	s->backend->pause(t);
	signal_rate_end(t);
	t->signals.delivering = false;
	if (!t->syscall.inside)
		traps_restore(t);
	signals_send_again(t);
	confinement_pause(t);
	schedule_free(t);
	x87_state_restore(t);
	return syscalls_release(t, 0, 0);
}

int native_resume(struct task *t)
{
	bool freely = breakpoints_are_armed(t->process) || region_is_entered(t->session);

	if (region_is_entered(t->session) && !t->life.native && leave_window(t) < 0)
		return -1;
	t->life.native = t->process->life.native = true;
	if (freely)
		t->syscall.inside = false;
	task_resume(t, freely ? PTRACE_CONT : PTRACE_SYSCALL, TASK_RUNNING);
	return 0;
}

static int syscall_stop(struct task *t)
{
	if (!t->syscall.inside)
		return syscalls_enter(t, false);
	syscalls_begin_again(t);
	if (syscalls_leave(t) < 0)
		return -1;
	if (t->syscall.number == SYS_mmap || t->syscall.number == SYS_mprotect)
		breakpoints_arm(t);
	return 0;
}

int native_stopped(struct task *t, int status)
{
	if (!task_read_regs(t))
		return 0;
	if (WSTOPSIG(status) == (SIGTRAP | 0x80))
		return syscall_stop(t);
	if (!breakpoints_stopped(t, status)) {
		t->signals.number = WSTOPSIG(status);
		return 0;
	}
	breakpoints_disarm(t);
	return region_from(t);
}

int native_take_over(struct task *t)
{
	breakpoints_disarm(t);
	if (t->syscall.inside || syscalls_interrupted(t))
		return 0;
	syscalls_undo_stop(t);
	t->life.native = false;
	if (shadow_stack_look(t) < 0)
		return -1;
	dispatch_look(t);
	if (!confinement_look(t))
		return confinement_refuse(t);
	traps_take_over(t);
	remote_forget_rseq(t);
	/* until the last thread stops, the others may map memory */
	if (t->process->n_tasks > 1 && mappings_sync(t) < 0)
		return -1;
	return control_words_catch_up(t);
}
