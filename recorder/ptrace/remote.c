/* SPDX-License-Identifier: MIT */
/*
 * A call takes two resumptions by PTRACE_SYSCALL, up to the entry of the system call and up to its
 * exit, with the pc at a syscall instruction of the program's own memory. All signals are blocked
 * meanwhile: a handler would see a pc that is not the program's. The registers and the mask are
 * restored behind the call.
 *
 * Three facilities of the kernel could refuse the call. Syscall user dispatch is suspended. A
 * seccomp filter that the recorder has rewritten allows the call by its pc, which is set at the
 * entry (filter_program.h); filters that the recorder has not seen are suspended (confinement.h).
 */
#include "recorder/ptrace/remote.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "recorder/core/output.h"
#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/dispatch.h"
#include "recorder/ptrace/filter_program.h"

enum { USER_CS = 0x33 }; /* of 64-bit code */

/* The program's state, which is restored after a call. */
struct remote_call {
	struct user_regs_struct regs;
	uint64_t mask;
};

enum progress { STOPPED, VANISHED, LATE, FAULTED };

/*
 * Returns true if the task is a zombie: waitpid reports the end of a killed process's first thread
 * only when all others have ended, and these may wait for the recorder.
 */
static bool is_zombie(const struct task *t)
{
	return task_kernel_state(t, NULL) == 'Z';
}

/* Waits for the task's next stop. Ticks of the schedule interrupt the wait. */
static enum progress wait_for(struct task *t, double until, int *status)
{
	while (waitpid(t->tid, status, __WALL) < 0) {
		if (errno != EINTR || is_zombie(t)) {
			t->state = TASK_DYING;
			return VANISHED;
		}
		if (until > 0 && session_now() > until)
			return LATE;
	}
	return STOPPED;
}

/*
 * Returns true if the status is the signal of a fault. While all signals are blocked, no other one
 * arrives, and the kernel has reset its action.
 */
static bool take_fault(struct task *t, int status)
{
	if (WSTOPSIG(status) == SIGSEGV)
		t->process->actions[OWN_FAULT].lost = true;
	else if (WSTOPSIG(status) == SIGBUS)
		t->process->actions[OWN_ALIGNMENT].lost = true;
	else
		return false;
	return true;
}

/* Returns true if the status reports the end of the task, or that another task has got its tid. */
static bool is_end(int status)
{
	return !WIFSTOPPED(status) || status >> 16 == PTRACE_EVENT_EXEC ||
	       status >> 16 == PTRACE_EVENT_EXIT;
}

/*
 * SIGSTOP cannot be blocked. Returns the signal with which the task goes on, so that its process
 * stops. The task itself makes the call first (stop_behind()).
 */
static long pass_on_stop(struct task *t, int status)
{
	if (status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP)
		t->remote.stopped = true;
	return !(status >> 16) && WSTOPSIG(status) == SIGSTOP ? SIGSTOP : 0;
}

/* Stops the task behind the call, if the stop of its process is still in effect. */
static void stop_behind(struct task *t)
{
	if (t->remote.stopped)
		ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	t->remote.stopped = false;
}

/* Resumes the task up to the next stop on the way into or out of the system call. */
static enum progress next_syscall_stop(struct task *t, double until)
{
	enum progress progress;
	long signal = 0;
	int status;

	do {
		if (ptrace(PTRACE_SYSCALL, t->tid, NULL, signal) < 0)
			return VANISHED;
		progress = wait_for(t, until, &status);
		if (progress != STOPPED)
			return progress;
		if (is_end(status)) {
			task_keep_end(t, status);
			return VANISHED;
		}
		if (take_fault(t, status))
			return FAULTED;
		signal = pass_on_stop(t, status);
	} while (WSTOPSIG(status) != (SIGTRAP | 0x80));
	return STOPPED;
}

static bool suspend_filter(const struct task *t, bool suspended)
{
	long options = TASK_TRACE_OPTIONS | (t->session->options->pid ? 0 : PTRACE_O_EXITKILL);

	if (suspended)
		options |= PTRACE_O_SUSPEND_SECCOMP;
	return ptrace(PTRACE_SETOPTIONS, t->tid, NULL, options) == 0;
}

bool remote_is_allowed(const struct task *t)
{
	return !t->limits.confinement.sealed ||
	       (suspend_filter(t, true) && suspend_filter(t, false));
}

/* Sets the pc that filters allow. put_back() restores the program's pc behind the call. */
static void show_allowed_pc(const struct task *t)
{
	const size_t rip = offsetof(struct user_regs_struct, rip);

	ptrace(PTRACE_POKEUSER, t->tid, (void *)rip, (void *)FILTER_PROGRAM_PC);
}

/* Passes the task into the system call and out of it again. */
static enum progress pass(struct task *t)
{
	double limit = t->session->watchdog.call_limit,
	       until = limit > 0 ? session_now() + limit : 0;
	enum progress progress = next_syscall_stop(t, until);

	if (progress != STOPPED)
		return progress;
	if (t->process->confined)
		show_allowed_pc(t);
	return next_syscall_stop(t, until);
}

static void put_back(struct task *t, const struct remote_call *c)
{
	t->regs = c->regs;
	if (task_write_regs(t))
		task_write_mask(t, c->mask);
	stop_behind(t);
}

static int64_t leave_late(struct task *t, uint64_t number, const struct remote_call *c)
{
	t->regs = c->regs;
	t->state = TASK_DYING;
	t->remote.late = malloc(sizeof(*c));
	if (!t->remote.late)
		return output_memory(t->session->output);
	*t->remote.late = *c;
	session_fail(t->session, TF_E_IO,
		     "process %d: thread %d, stopped at 0x%llx, has not come back from system call "
		     "%llu, which the recorder makes in it, for %g s",
		     (int)t->process->pid, (int)t->tid, (unsigned long long)c->regs.rip,
		     (unsigned long long)number, t->session->watchdog.call_limit);
	return -ETIMEDOUT;
}

/*
 * Leaves a task that has vanished. If an exec by another thread has ended the task, the thread
 * that now has the tid keeps its own registers.
 */
static int64_t leave_vanished(struct task *t, const struct remote_call *c)
{
	t->regs = c->regs;
	t->state = TASK_DYING;
	return -ESRCH;
}

void remote_finish(struct task *t)
{
	if (!t->remote.late)
		return;
	/* a task that was late on its way into the call makes no call */
	t->remote.late->regs.orig_rax = UINT64_MAX;
	put_back(t, t->remote.late);
	free(t->remote.late);
	t->remote.late = NULL;
}

static void set_call(struct user_regs_struct *r, uint64_t pc, uint64_t number,
		     const uint64_t args[6])
{
	r->rip = pc;
	r->rax = number;
	r->orig_rax = UINT64_MAX; /* the kernel shall restart no interrupted call */
	r->rdi = args[0];
	r->rsi = args[1];
	r->rdx = args[2];
	r->r10 = args[3];
	r->r8 = args[4];
	r->r9 = args[5];
}

/* Keeps the siginfo of the task's signal, which the kernel forgets as the task leaves its stop. */
static void leave_signal(struct task *t)
{
	if (t->signals.number && !t->signals.left_stop)
		t->signals.left_stop = task_read_info(t, &t->signals.info);
}

static int64_t call_once(struct task *t, uint64_t number, const uint64_t args[6], bool *faulted)
{
	struct remote_call saved = { .regs = t->regs };
	int64_t result = -EAGAIN;

	*faulted = false;

	/* Signals stay pending during the call. */
	if (!t->process->remote.syscall_pc || t->regs.cs != USER_CS)
		return result;
	if (!task_read_mask(t, &saved.mask) || !task_write_mask(t, UINT64_MAX)) {
		t->state = TASK_DYING;
		return result;
	}
	leave_signal(t);
	set_call(&t->regs, t->process->remote.syscall_pc, number, args);
	if (task_write_regs(t)) {
		enum progress progress = pass(t);

		if (progress == LATE)
			return leave_late(t, number, &saved);
		if (progress == VANISHED)
			return leave_vanished(t, &saved);
		if (progress == STOPPED && task_read_regs(t))
			result = (int64_t)t->regs.rax;
		*faulted = progress == FAULTED;
	}
	put_back(t, &saved);
	return result;
}

/* Makes the call, once more if the program has unmapped the place, as Valgrind does its vdso. */
static int64_t call(struct task *t, uint64_t number, const uint64_t args[6])
{
	bool faulted;
	int64_t result = call_once(t, number, args, &faulted);

	if (!faulted)
		return result;
	remote_find_place(t);
	result = call_once(t, number, args, &faulted);
	if (faulted)
		t->process->remote.syscall_pc = 0;
	return result;
}

int64_t remote_syscall(struct task *t, uint64_t number, const uint64_t args[6])
{
	int64_t result;

	if (t->state == TASK_DYING)
		return -ESRCH;
	if (!dispatch_suspend(t))
		return -EPERM;
	if (!t->limits.confinement.sealed) {
		result = call(t, number, args);
	} else if (suspend_filter(t, true)) {
		result = call(t, number, args);
		suspend_filter(t, false);
	} else {
		result = -EPERM;
	}
	dispatch_resume(t);
	return result;
}

/* Returns the address of a syscall instruction in the mapping; 0 if there is none. */
static uint64_t find_syscall(const struct task *t, const struct mapping *m)
{
	enum { PIECE = 16 << 10 };
	static const uint8_t syscall_insn[2] = { 0x0f, 0x05 };
	uint8_t image[PIECE], *at;

	for (uint64_t start = m->start; start < m->end; start += PIECE - 1) {
		size_t size = m->end - start < PIECE ? m->end - start : PIECE;

		size = task_read(t, start, image, size);
		at = memmem(image, size, syscall_insn, sizeof(syscall_insn));
		if (at)
			return start + (uint64_t)(at - image);
	}
	return 0;
}

static uint64_t find_in_modules(const struct task *t, bool vdso)
{
	const struct space *space = t->process->space;
	uint64_t found = 0;

	for (size_t i = 0; i < space->count && !found; i++) {
		const struct mapping *m = &space->mappings[i];

		if (m->module && m->protection & PROT_EXEC &&
		    (m->module->kind == TF_MODULE_VDSO) == vdso)
			found = find_syscall(t, m);
	}
	return found;
}

void remote_find_place(struct task *t)
{
	uint64_t place = find_in_modules(t, true);

	t->process->remote.syscall_pc = place ? place : find_in_modules(t, false);
}

void remote_child(struct task *child, const struct task *parent)
{
	child->remote.rseq = parent->remote.rseq;
}

void remote_exec(struct task *t)
{
	t->remote.rseq.size = 0;
	t->process->remote = (struct remote_places){ 0 };
	remote_find_place(t);
}

void remote_forget_rseq(struct task *t)
{
	enum { UNREGISTER = 1 };
	struct __ptrace_rseq_configuration c;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, t->tid, (void *)sizeof(c), &c) != sizeof(c) ||
	    !c.rseq_abi_pointer)
		return;
	if (remote_syscall(t, SYSCALL_RSEQ,
			   (uint64_t[6]){ c.rseq_abi_pointer, c.rseq_abi_size, UNREGISTER,
					  c.signature }) == 0)
		t->remote.rseq = (struct rseq_area){ c.rseq_abi_pointer, c.rseq_abi_size,
						     c.signature };
}

void remote_restore_rseq(struct task *t)
{
	if (t->remote.rseq.size)
		remote_syscall(t, SYSCALL_RSEQ,
			       (uint64_t[6]){ t->remote.rseq.address, t->remote.rseq.size, 0,
					      t->remote.rseq.signature });
	t->remote.rseq.size = 0;
}
