/* SPDX-License-Identifier: MIT */
/*
 * A signal that belongs to an instruction (the SIGTRAP of a step, a fault in translated code) may
 * be pending when the kernel reports another stop first. It must be taken before the task is
 * released or does anything else. After a failure the program has its own registers, breakpoints,
 * system call and signal: only the recording has failed.
 *
 * The last task that leaves the cache unmaps what the backend has mapped. A task in a system call
 * comes out of it first; a task that waits there is interrupted, which epoll_wait and a few other
 * calls would report to the program (syscalls_undo_stop()). Children that are not followed do not
 * inherit the recorder's memory, and get back the rseq area of their parent.
 */
#include "recorder/ptrace/release.h"

#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "recorder/core/backend.h"
#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/functions.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/altered_syscalls.h"
#include "recorder/ptrace/breakpoints.h"
#include "recorder/ptrace/confinement.h"
#include "recorder/ptrace/dumpable.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/signal_rate.h"
#include "recorder/ptrace/signals.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/x87_state.h"
#include "recorder/sampling/sampling.h"

static void drop_process(struct process *p)
{
	struct process **link = &p->session->processes.first;

	while (*link != p)
		link = &(*link)->next;
	sampling_place(p->session);
	*link = p->next;
	p->session->processes.n_unfollowed -= p->life.unfollowed;
	space_release(p->space);
	task_memory_close(p);
	free(p);
}

void task_forget(struct task *t)
{
	struct process *p = t->process;

	output_close_stream(t->session->output, t);
	calls_free(t);
	schedule_forget(t);
	task_remove(t);
	if (p && --p->n_tasks == 0)
		drop_process(p);
}

void tasks_forget(struct session *s)
{
	while (s->tasks.current) {
		if (s->tasks.current->trace.stream)
			s->backend->task_end(s->tasks.current);
		task_forget(s->tasks.current);
	}
}

/* Undoes the recorder's changes to the program. */
static void leave_memory(struct task *t)
{
	const struct backend *b = t->session->backend;

	signal_rate_end(t);
	syscalls_undo_stop(t);
	traps_restore(t);
	remote_restore_rseq(t);
	if (b->leave)
		b->leave(t);
	signals_send_again(t);
	dumpable_leave(t);
	confinement_leave(t);
}

/* Undoes what a child that is not followed has inherited; it has not run yet. */
static void leave_child(struct task *t)
{
	const struct backend *b = t->session->backend;

	if (!task_read_regs(t))
		return;
	untraced_clone_leaving(t);
	remote_restore_rseq(t);
	if (t->session->options->follow && b->leave)
		b->leave(t);
	dumpable_leave(t);
}

void task_release(struct task *t)
{
	struct session *s = t->session;

	if (t->process && t->trace.stream) {
		s->backend->task_end(t);
		region_leave(t);
		output_close_stream(s->output, t);
	}
	if (t->process) {
		breakpoints_disarm(t);
		if (t->process->life.unfollowed)
			leave_child(t);
		else if (!t->syscall.inside && t->life.begun && t->state == TASK_READY)
			leave_memory(t);
	}
	/* its end will be reported; or it is late in a call, and is released when it
		 * stops */
	if (t->state == TASK_DYING)
		return;
	schedule_free(t);
	x87_state_restore(t);
	ptrace(PTRACE_DETACH, t->tid, NULL, (long)t->signals.number);
	task_forget(t);
}

/* ---- orphans ---- */

static bool creates(uint64_t number)
{
	return number == SYS_fork || number == SYS_vfork || number == SYS_clone ||
	       number == SYS_clone3 || number & SYSCALL_INT80;
}

/* Returns true if a task may have started another one whose event has yet to come. */
static bool may_name_child(const struct task *t)
{
	if ((t->state != TASK_KERNEL && t->state != TASK_RUNNING) || t->life.waits_for_child)
		return false;
	return t->syscall.inside ? creates(t->syscall.number) : t->life.native;
}

static struct task *find(const struct session *s, bool (*is)(const struct task *t))
{
	FOR_EACH_TASK (s, t)
		if (is(t))
			return t;
	return NULL;
}

static bool is_unclaimed(const struct task *t)
{
	return !t->process && t->state == TASK_READY;
}

void orphans_release(struct session *s)
{
	struct task *t;

	while ((t = find(s, is_unclaimed)) && !find(s, may_name_child)) {
		if (s->options->follow && !region_is_over(s))
			session_warn(s,
				     "process %d is not recorded: its parent was killed while "
				     "it began",
				     (int)t->tid);
		task_release(t);
	}
}
