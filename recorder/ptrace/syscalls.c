/* SPDX-License-Identifier: MIT */
/*
 * System calls are entered and left by PTRACE_SYSCALL and never by a step: r11 gets no trap flag,
 * and no SIGTRAP follows. A call that a signal interrupts returns -ERESTART... The result is held
 * until the next stop shows whether a handler comes in between, in which case the frame has the
 * result (perhaps EINTR), or the kernel executes the instruction again.
 *
 * rseq is answered with ENOSYS, as stepping would abort every restartable sequence. A registration
 * from native execution is undone. So is, at once, a later registration by a thread of such a
 * process: glibc calls abort() if it could register one thread and cannot register the next one.
 */
#include "recorder/ptrace/syscalls.h"

#include <asm/prctl.h>
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/confinement.h"
#include "recorder/ptrace/dispatch.h"
#include "recorder/ptrace/dumpable.h"
#include "recorder/ptrace/filter_program.h"
#include "recorder/ptrace/mappings.h"
#include "recorder/ptrace/memory_locks.h"
#include "recorder/ptrace/plain_fork.h"
#include "recorder/ptrace/raised_signals.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/altered_syscalls.h"
#include "recorder/ptrace/signal_rate.h"
#include "recorder/ptrace/tracers.h"
#include "recorder/ptrace/traps.h"
#include "recorder/ptrace/x87_state.h"

static void read_args(const struct user_regs_struct *r, bool int80, uint64_t args[6])
{
	const uint64_t native[6] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };
	const uint64_t i386[6] = { (uint32_t)r->rbx, (uint32_t)r->rcx, (uint32_t)r->rdx,
				   (uint32_t)r->rsi, (uint32_t)r->rdi, (uint32_t)r->rbp };

	memcpy(args, int80 ? i386 : native, sizeof(native));
}

static int write_entry(struct task *t, const struct syscall_made *call)
{
	struct tf_event event = {
		.kind = TF_EVENT_SYSCALL,
		.syscall = { .number = call->number, .time_ns = call->entered_ns },
	};

	memcpy(event.syscall.args, call->args, sizeof(call->args));
	return output_event(t->session->output, t, &event);
}

int syscalls_prepare(struct task *t)
{
	traps_before_syscall(t);
	return confinement_before(t);
}

static void leave_answered(struct task *t)
{
	struct syscall_state *c = &t->syscall;

	if (!c->answered)
		return;
	c->answered = false;
	t->regs.rip = c->next_pc;
	t->regs.rax = (uint64_t)c->answer;
	task_write_regs(t);
}

/* Moves a task back before its call, which it makes itself after its release. */
static int undo_unmade(struct task *t)
{
	t->syscall.recorded = false;
	t->regs.orig_rax = t->syscall.number;
	syscalls_undo(t);
	return 0;
}

/*
 * Makes rseq fail. A filter judges the call by its number, so that must stay: the call fails by an
 * area that is not aligned.
 */
static void bar_rseq(struct task *t)
{
	if (t->process->confined)
		t->regs.rdi = 1;
	else
		t->regs.orig_rax = UINT64_MAX;
	task_write_regs(t);
}

/*
 * Turns the kernel's EINVAL for rseq into ENOSYS. A filter may have forbidden the call with
 * another error, which stays.
 */
static void answer_rseq(struct task *t)
{
	if (t->syscall.number != SYSCALL_RSEQ || t->process->life.native || !t->process->confined)
		return;
	t->regs.rdi = t->syscall.args[0];
	if ((int64_t)t->regs.rax == -EINVAL)
		t->regs.rax = -(uint64_t)ENOSYS;
	task_write_regs(t);
}

static int write_entry_of(struct task *t)
{
	const struct syscall_state *c = &t->syscall;
	struct syscall_made call = { .entered_ns = session_now_ns(), .number = c->number };

	memcpy(call.args, c->args, sizeof(c->args));
	return write_entry(t, &call);
}

/* Keeps the name of the program that execve is called with. */
static void keep_exec_name(struct task *t, uint64_t name)
{
	char *to = t->process->life.exec_name;
	size_t n = task_read(t, name, to, sizeof(t->process->life.exec_name) - 1);

	to[n] = 0;
}

int syscalls_enter(struct task *t, bool int80)
{
	struct syscall_state *c = &t->syscall;

	__atomic_add_fetch(&t->session->stats.syscalls, 1, __ATOMIC_RELAXED);
	c->inside = true;
	c->recorded = c->held = c->answered = c->unmade = false;
	c->number = (uint32_t)t->regs.orig_rax | (int80 ? SYSCALL_INT80 : 0);
	read_args(&t->regs, int80, c->args);
	t->progress++;
	if (c->number == SYS_rt_sigreturn)
		x87_state_sigreturn(t);
	if (c->number == SYS_execve)
		keep_exec_name(t, c->args[0]);
	signal_rate_syscall(t);
	raised_signals_entering(t);
	schedule_syscall(t);
	c->next_pc = t->regs.rip;
	if (c->number == SYSCALL_RSEQ && !t->process->life.native)
		bar_rseq(t);
	confinement_entering(t);
	c->recorded = region_recording(t->session) && !c->counted;
	c->counted = false;
	if (c->recorded && write_entry_of(t) < 0)
		return -1;
	dumpable_entering(t);
	untraced_clone_entering(t);
	plain_fork_entering(t);
	shadow_stack_entering(t);
	return tracers_entering(t);
}

int syscalls_made(struct task *t, const struct syscall_made *call)
{
	struct tf_event event = {
		.kind = TF_EVENT_SYSCALL_RESULT,
		.syscall_result = { .number = call->number,
				    .result = call->result,
				    .time_ns = call->left_ns },
	};

	__atomic_add_fetch(&t->session->stats.syscalls, 1, __ATOMIC_RELAXED);
	return write_entry(t, call) < 0 || output_event(t->session->output, t, &event) < 0 ? -1 : 0;
}

int syscalls_making(struct task *t, const struct syscall_made *call, uint64_t next_pc)
{
	struct syscall_state *c = &t->syscall;

	__atomic_add_fetch(&t->session->stats.syscalls, 1, __ATOMIC_RELAXED);
	*c = (struct syscall_state){ .inside = true,
				     .recorded = region_recording(t->session),
				     .next_pc = next_pc,
				     .number = call->number };
	memcpy(c->args, call->args, sizeof(c->args));
	return c->recorded ? write_entry(t, call) : 0;
}

void syscalls_read_args(struct task *t)
{
	read_args(&t->regs, false, t->syscall.args);
}

void syscalls_keep_count(struct task *t)
{
	t->syscall.counted = true;
}

static int write_result(struct task *t, int64_t result)
{
	struct tf_event event = {
		.kind = TF_EVENT_SYSCALL_RESULT,
		.syscall_result = { .number = t->syscall.number,
				    .result = result,
				    .time_ns = session_now_ns() },
	};

	if (!t->syscall.recorded)
		return 0;
	t->syscall.recorded = false;
	return output_event(t->session->output, t, &event);
}

int syscalls_release(struct task *t, uint64_t pc, int64_t result)
{
	struct syscall_state *c = &t->syscall;

	c->counted = false;
	if (!c->held)
		return 0;
	c->held = false;
	return write_result(t, pc == c->next_pc ? result : c->held_result);
}

/* Writes the event only while instructions are recorded: without them it has no reader. */
int syscalls_segment(struct task *t, uint32_t segment, uint64_t base)
{
	struct tf_event event = { .kind = TF_EVENT_SEGMENT_BASE,
				  .segment_base = { .segment = segment, .base = base } };
	uint64_t *recorded = segment == TF_SEGMENT_FS ? &t->trace.fs_base : &t->trace.gs_base;

	if (*recorded == base || (t->trace.stream && !region_recording(t->session)))
		return 0;
	*recorded = base;
	return output_event(t->session->output, t, &event);
}

int syscalls_segments(struct task *t)
{
	return syscalls_segment(t, TF_SEGMENT_FS, t->regs.fs_base) < 0 ||
			       syscalls_segment(t, TF_SEGMENT_GS, t->regs.gs_base) < 0
		       ? -1
		       : 0;
}

static int write_sigreturn(struct task *t)
{
	struct tf_event event = { .kind = TF_EVENT_SIGRETURN, .sigreturn.pc = t->regs.rip };

	return t->syscall.recorded ? output_event(t->session->output, t, &event) : 0;
}

/* Records whether rdtsc and cpuid fault from now on. */
static void record_limits(struct task *t)
{
	const struct syscall_state *c = &t->syscall;

	if (c->number == SYS_prctl && c->args[0] == PR_SET_TSC)
		t->limits.no_rdtsc = c->args[1] == PR_TSC_SIGSEGV;
	if (c->number == SYS_arch_prctl && c->args[0] == ARCH_SET_CPUID)
		t->limits.no_cpuid = !c->args[1];
}

int syscalls_leave(struct task *t)
{
	struct syscall_state *c = &t->syscall;
	int status = confinement_leaving(t);
	int64_t result;
	bool unmade;

	t->progress++;
	answer_rseq(t);
	unmade = c->answered && (c->unmade || t->process->life.leaving);
	leave_answered(t);
	dumpable_leaving(t);
	untraced_clone_leaving(t);
	plain_fork_leaving(t);
	memory_locks_leaving(t);
	result = (int64_t)t->regs.rax;
	c->inside = false;
	if (unmade)
		return undo_unmade(t);
	traps_after_syscall(t);
	if (c->number == SYS_rt_sigprocmask)
		signal_rate_goes_on(t);
	if (c->number == SYS_rt_sigreturn) {
		signal_rate_goes_on(t);
		return write_sigreturn(t);
	}
	if (syscalls_interrupted(t)) {
		c->held = true;
		c->held_result = result;
		return 0;
	}
	if (write_result(t, result) < 0 || mappings_after_syscall(t) < 0 ||
	    syscalls_segments(t) < 0)
		return -1;
	mappings_after_open(t, result);
	if (result == 0)
		record_limits(t);
	dispatch_leaving(t);
	if (c->number == SYSCALL_RSEQ && !region_is_native(t->session))
		remote_forget_rseq(t);
	return status;
}
