/* SPDX-License-Identifier: MIT */
/*
 * The loop resumes the tasks that are ready, waits for a stop, and serves the stop: an event of
 * ptrace by process.c, a stop of a task that runs natively by region_bounds.c, and every other stop
 * by the backend. Ticks of a timer (schedule.c) interrupt the wait; then the loop looks at
 * the limits of time: of windows, of blocked signals, of flushes, of the watchdog.
 *
 * Some work on one task needs others to stand still, or to be released. stop_others() and
 * let_process_go() wait and serve stops for that within the call that needs it, but resume nothing
 * that has stopped. While session->synchronizing is set, backends bring each task that stops to a
 * place between two instructions.
 */
#include "recorder/ptrace/event_loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "recorder/core/backend.h"
#include "recorder/core/interrupts.h"
#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/breakpoints.h"
#include "recorder/ptrace/extended_state.h"
#include "recorder/ptrace/metadata.h"
#include "recorder/ptrace/region_bounds.h"
#include "recorder/ptrace/release.h"
#include "recorder/ptrace/polling.h"
#include "recorder/ptrace/process.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/signal_rate.h"
#include "recorder/ptrace/signals.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/touch.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/watchdog.h"

static bool is_group_stop(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/*
 * Lets a signal come first that an instruction has raised, if another stop came before it: above
 * all the SIGTRAP of a step. Later the signal would meet a task that is elsewhere or released. The
 * signal is pending, so the task stops for it before it executes anything.
 */
static bool let_signal_come(struct task *t, int stop_signal)
{
	if (!t->life.begun || !signals_raised(t))
		return false;
	t->life.stop_again = is_group_stop(stop_signal);
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
	return true;
}

/* Keeps a task in a group stop until SIGCONT, as it would be natively. */
static int listen_for_continue(struct task *t)
{
	if (region_is_over(t->session) || (t->process && t->process->life.leaving))
		return 0;
	if (t->trace.stream && t->session->backend->synchronize(t) < 0)
		return -1;
	t->state = TASK_LISTENING;
	ptrace(PTRACE_LISTEN, t->tid, NULL, NULL);
	return 0;
}

static int on_wait(struct session *s, pid_t tid, int status);

/* Returns the new child of a task if the child is not followed and not yet released. */
static struct task *unfollowed_child(const struct task *t)
{
	unsigned long tid;
	struct task *child;

	if (ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &tid) < 0)
		return NULL;
	child = task_find(t->session, (pid_t)tid);
	return child && child->process && child->process->life.unfollowed ? child : NULL;
}

/* Releases such a child before its parent goes on: from then on, other processes may trace it. */
static int release_unfollowed(struct task *t)
{
	struct task *child;
	int status;

	while ((child = unfollowed_child(t)) && child->state != TASK_READY) {
		pid_t tid = waitpid(child->tid, &status, __WALL);

		if (tid < 0 && errno != EINTR)
			return 0;
		if (tid > 0 && on_wait(t->session, tid, status) < 0)
			return -1;
	}
	if (child)
		task_release(child);
	return 0;
}

static int on_child(struct task *t)
{
	struct output_totals before;

	output_totals(t->session->output, &before);
	if (process_child(t) < 0 || release_unfollowed(t) < 0)
		return -1;
	return metadata_threads(t->session, before.threads);
}

/* Serves a PTRACE_EVENT, after which the task goes on as it would have without it. */
static int on_event(struct task *t, int event, int signal)
{
	/*
	 * these events happen in system calls, also in calls that a task entered while it ran
	 * natively
	 */
	if (event != PTRACE_EVENT_STOP && event != PTRACE_EVENT_EXIT && !t->syscall.inside)
		t->syscall = (struct syscall_state){ .inside = true, .number = UINT64_MAX };
	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE: return on_child(t);
	case PTRACE_EVENT_VFORK_DONE: return process_vfork_done(t);
	case PTRACE_EVENT_EXEC: return process_exec(t);
	case PTRACE_EVENT_EXIT: return process_exiting(t);
	case PTRACE_EVENT_STOP:
		if (let_signal_come(t, signal))
			return 0;
		if (t->signals.delivering && t->session->backend->delivered(t) < 0)
			return -1;
		if (process_event_stop(t) < 0)
			return -1;
		return is_group_stop(signal) ? listen_for_continue(t) : 0;
	default: return 0;
	}
}

static int on_stop(struct session *s, struct task *t, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	t->state = TASK_READY;
	t->signals.sets_read = false;
	if (t->remote.late && !event) {
		remote_finish(t);
		return 0;
	}
	if (event && touch_is_on(t))
		touch_stopped(t, status);
	if (event)
		return on_event(t, event, signal);
	if (t->life.stop_again)
		ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	t->life.stop_again = false;
	if (touch_is_on(t) && touch_stopped(t, status))
		return 0;
	if (!t->trace.stream) {
		t->signals.number = signal;
		return 0;
	}
	if (region_is_native(s) && (t->life.native || !region_is_entered(s)))
		return native_stopped(t, status);
	if (t->life.native && task_read_regs(t) && breakpoints_stopped(t, status))
		return 0;
	if (traps_hold(t, signal)) {
		task_resume(t, PTRACE_CONT, TASK_RUNNING);
		return 0;
	}
	return s->backend->stopped(t, status);
}

static int serve_status(struct session *s, pid_t tid, int status)
{
	struct task *t = task_find(s, tid);

	if (tid == s->main.pid && !WIFSTOPPED(status)) {
		s->main.ended = true;
		s->main.status = status;
	}
	if (!t && WIFSTOPPED(status)) {
		t = task_add(s, tid); /* its parent's event has yet to come */
		if (!t)
			return output_memory(s->output);
	}
	if (!t)
		return 0;
	return WIFSTOPPED(status) ? on_stop(s, t, status) : process_end_task(t, status);
}

static int on_wait(struct session *s, pid_t tid, int status)
{
	int result = serve_status(s, tid, status);

	orphans_release(s);
	return result;
}

/* ---- all at once ---- */

/* Some of the tasks. */
struct others {
	struct session *session;
	struct task *self; /* is not one of them; NULL: none is left out */
	bool (*wanted)(const struct task *t, const void *opaque); /* NULL: all others are */
	const void *opaque;
};

static bool is_other(const struct others *o, const struct task *t)
{
	return t != o->self && (!o->wanted || o->wanted(t, o->opaque));
}

/* Returns one of the tasks for which is() returns true, or NULL. */
static struct task *find_other(const struct others *o, bool (*is)(const struct task *t))
{
	FOR_EACH_TASK (o->session, t)
		if (is_other(o, t) && is(t))
			return t;
	return NULL;
}

static void each_other(const struct others *o, void (*act)(struct task *t))
{
	FOR_EACH_TASK (o->session, t)
		if (is_other(o, t))
			act(t);
}

static bool waits(struct task *t)
{
	const struct backend *b = t->session->backend;

	return b->waits && b->waits(t);
}

static void interrupt_running(struct task *t)
{
	if (t->state == TASK_RUNNING && !touch_is_on(t) && !waits(t))
		ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
}

/* Writes what a task that waits in the kernel has executed to its stream. */
static void write_waiting(struct task *t)
{
	if (t->state == TASK_RUNNING)
		waits(t);
}

static bool is_running(const struct task *t)
{
	/* a task that touches memory executes nothing of the program */
	return (t->state == TASK_RUNNING && !touch_is_on(t)) || t->state == TASK_ENTERING;
}

/* Synchronizes the tasks that have stopped. Returns -1 as soon as one fails. */
static int synchronize_stopped(const struct others *o)
{
	FOR_EACH_TASK (o->session, t)
		if (is_other(o, t) && t->state == TASK_READY && t->trace.stream &&
		    o->session->backend->synchronize(t) < 0)
			return -1;
	return 0;
}

/*
 * Keeps the end of self, which is being killed: the end is served when no function works on self
 * any more.
 */
static void on_stop_of_self(struct task *self, int status)
{
	self->state = TASK_DYING;
	if (WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_EXIT)
		ptrace(PTRACE_CONT, self->tid, NULL, NULL);
	else
		task_keep_end(self, status);
}

enum { ALL_GONE = 1, TICKED };

/*
 * Waits for a stop while self is worked on. Returns 0 or -1, ALL_GONE if no task can stop, or
 * TICKED if none has stopped for a while.
 */
static int serve_others(struct session *s, struct task *self)
{
	int status;
	pid_t tid = waitpid(-1, &status, __WALL);

	if (tid < 0)
		return errno == EINTR ? TICKED : ALL_GONE;
	if (self && tid == self->tid)
		on_stop_of_self(self, status);
	else
		return on_wait(s, tid, status);
	return 0;
}

/* Returns true if a task will not stop before another one has acted. */
static bool runs_on(const struct task *t)
{
	return is_running(t) && !stalls_running(t);
}

static int stop_others(struct session *s, struct task *self,
		       bool (*wanted)(const struct task *t, const void *opaque), const void *opaque)
{
	const struct others others = { s, self, wanted, opaque };
	bool synchronizing = s->synchronizing, stuck = false;
	int status = 0;

	s->synchronizing = true;
	each_other(&others, interrupt_running);
	while (!stuck && find_other(&others, is_running)) {
		int served = serve_others(s, self);

		if (served == ALL_GONE)
			break;
		status = served < 0 ? -1 : status;
		stuck = served == TICKED && !find_other(&others, runs_on);
	}
	if (synchronize_stopped(&others) < 0)
		status = -1;
	s->synchronizing = synchronizing;
	return status == 0 && stuck ? SYNCHRONIZE_STUCK : status;
}

/* ---- letting go ---- */

static bool is_to_go(const struct task *t)
{
	return region_is_over(t->session) || (t->process && t->process->life.leaving);
}

static void let_go(struct task *t)
{
	/* a task comes out of a system call first: only there can its changes be undone */
	if (t->syscall.inside)
		task_resume(t, PTRACE_SYSCALL, TASK_KERNEL);
	else
		task_release(t);
}

static bool is_of_process(const struct task *t, const void *process)
{
	return t->process == process && t->process->life.leaving;
}

static bool is_ready(const struct task *t)
{
	return t->state == TASK_READY;
}

/* Returns true if a task will stop, perhaps only because it is interrupted. */
static bool may_stop(const struct task *t)
{
	return t->state != TASK_READY && !t->life.waits_for_child;
}

static void interrupt(struct task *t)
{
	if (may_stop(t))
		ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
}

static int let_process_go(struct session *s, struct task *self, const struct process *p)
{
	const struct others others = { s, self, is_of_process, p };
	bool synchronizing = s->synchronizing;
	int status = 0;
	struct task *t;

	s->synchronizing = true;
	each_other(&others, interrupt);
	for (;;) {
		while ((t = find_other(&others, is_ready)))
			let_go(t);
		if (status || !find_other(&others, may_stop))
			break;
		status = serve_others(s, self);
		status = status == TICKED ? 0 : status;
	}
	s->synchronizing = synchronizing;
	return status < 0 ? -1 : 0;
}

const struct loop event_loop = { .synchronize_others = stop_others, .let_go = let_process_go };

/* ---- the loop ---- */

/* Stops tasks whose signals have been blocked for long enough. */
static void interrupt_limited(const struct session *s)
{
	FOR_EACH_TASK (s, t)
		if (t->state == TASK_RUNNING && signal_rate_is_over(t, session_now()))
			ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
}

static int on_tick(struct session *s)
{
	const struct others all = { .session = s };
	double now = session_now();

	if (watchdog_look(s, now) < 0)
		return -1;
	schedule_look_again(s);
	interrupt_limited(s);
	if (!find_other(&all, signal_rate_is_limited))
		ticks_normally(s->options);
	if (interrupts_asked())
		region_request_end(s, "interrupt");
	/* tasks in translated code would not stop by themselves */
	if (region_look(s, now))
		each_other(&all, interrupt_running);
	if (output_flush_is_due(s, now)) {
		each_other(&all, write_waiting);
		if (s->backend->sync && s->backend->sync(s) < 0)
			return -1;
		return output_flush(s);
	}
	return 0;
}

/* Resumes a task. Sets *again if other tasks may have to be resumed before the loop waits. */
static int resume(struct session *s, struct task *t, bool *again)
{
	int status = 0;

	*again = true;
	if (is_to_go(t)) {
		let_go(t);
	} else if (t->process->life.unfollowed) {
		task_release(t);
	} else if (region_window_is_due(s) && !region_counting(s)) {
		status = region_is_native(s) ? region_from(t) : region_window_end(t);
	} else if (region_is_native(s)) {
		status = native_resume(t);
	} else if (region_requested_end(s) && region_recording(s)) {
		status = region_end(t, region_requested_end(s));
	} else {
		if (watchdog_resume(t) < 0)
			return -1;
		if (t->life.native)
			status = native_take_over(t);
		else if (t->trace.lacks_words && region_recording(s))
			status = control_words_catch_up(t);
		signals_send_again(t);
		if (signal_rate_is_over(t, session_now()))
			signal_rate_end(t);
		if (status == 0)
			status = s->backend->resume(t);
		*again = t->state == TASK_READY || !schedule_is_serial(s);
	}
	return status;
}

/*
 * Interrupts tasks for the end of the recording. Once the program itself has ended, tasks that are
 * still in the kernel are not waited for; nor is a task that goes on without the recorder.
 */
static void interrupt_all(struct session *s)
{
	FOR_EACH_TASK (s, t)
		ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
}

static int serve_one(struct session *s)
{
	struct task *t;
	pid_t tid;
	int status;
	bool again;

	if ((ticks_take() && on_tick(s) < 0) || poll_take_failure(s))
		return -1;
	t = schedule_next(s);
	if (t) {
		if (resume(s, t, &again) < 0)
			return -1;
		if (again)
			return 0;
	} else if (region_requested_end(s) && region_recording(s) &&
		   !find_other(&(struct others){ .session = s }, is_running)) {
		region_stop(s, region_requested_end(s));
	}
	if (region_is_over(s) && (s->main.ended || s->options->pid))
		interrupt_all(s);
	tid = schedule_wait(s, &status);
	if (tid < 0)
		tasks_forget(s);
	return tid > 0 ? on_wait(s, tid, status) : 0;
}

static void kill_all(const struct session *s)
{
	for (const struct process *p = s->processes.first; p; p = p->next)
		if (!p->life.unfollowed)
			kill(p->pid, SIGKILL);
}

/* Saves the recording after an error, if possible, and lets the programs go on, or ends them. */
static void give_up(struct session *s)
{
	if (region_recording(s) && s->tasks.current && s->tasks.current->state == TASK_READY &&
	    s->tasks.current->trace.stream)
		s->backend->synchronize(s->tasks.current);
	if (s->options->kill_on_error)
		kill_all(s);
	region_stop(s, "error");
}

int event_loop_run(struct session *s)
{
	int status;

	while (s->tasks.current)
		if (serve_one(s) < 0)
			give_up(s);
	/* Waits for the program, which runs on natively and is released if it is still traced. */
	while (!s->main.ended && !s->options->pid) {
		pid_t pid = waitpid(s->main.pid, &status, __WALL);

		if (pid < 0 && errno != EINTR)
			return session_fail(s, TF_E_IO, "the program is lost: %s", strerror(errno));
		if (pid > 0 && WIFSTOPPED(status))
			ptrace(PTRACE_DETACH, pid, NULL, 0L);
		if (pid > 0 && !WIFSTOPPED(status)) {
			s->main.ended = true;
			s->main.status = status;
		}
	}
	return s->error.is_set ? -1 : 0;
}
