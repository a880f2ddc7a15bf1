/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/native.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "recorder/core/backend.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/breakpoints.h"
#include "recorder/ptrace/confinement.h"
#include "recorder/ptrace/control_words.h"
#include "recorder/ptrace/dispatch.h"
#include "recorder/ptrace/mappings.h"
#include "recorder/ptrace/region_bounds.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/shadow_stack.h"
#include "recorder/ptrace/signal_rate.h"
#include "recorder/ptrace/signals.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/x87_state.h"

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
	bool freely = t->process->breakpoints.armed || region_is_entered(t->session);

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
	return control_words_tell(t);
}
