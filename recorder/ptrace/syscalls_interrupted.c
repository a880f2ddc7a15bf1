/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/syscalls_interrupted.h"

#include <errno.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"
#include "recorder/ptrace/signal_sets.h"

/* The kernel's own, never seen by programs. */
enum { ERESTARTSYS = 512, ERESTARTNOINTR = 513, ERESTART_RESTARTBLOCK = 516 };

bool syscalls_interrupted(const struct task *t)
{
	int64_t rax = (int64_t)t->regs.rax;

	return (int64_t)t->regs.orig_rax >= 0 && rax <= -ERESTARTSYS &&
	       rax >= -ERESTART_RESTARTBLOCK;
}

void syscalls_undo(struct task *t)
{
	t->regs.rax = t->regs.orig_rax;
	t->regs.orig_rax = UINT64_MAX;
	t->regs.rip -= SYSCALL_BYTES;
	task_write_regs(t);
}

/* Returns true if a stop has ended the call without a signal. */
static bool ended_by_stop(const struct task *t)
{
	/* from signal(7); the other calls there are not ended by a mere stop on x86-64 */
	static const uint64_t fragile[] = { SYS_epoll_wait,   SYS_epoll_pwait,  SYS_epoll_pwait2,
					    SYS_semop,        SYS_semtimedop,   SYS_rt_sigtimedwait,
					    SYS_io_getevents, SYS_io_pgetevents };
	bool found = false;

	for (unsigned i = 0; i < sizeof(fragile) / sizeof(*fragile); i++)
		found |= t->regs.orig_rax == fragile[i];
	return found && (int64_t)t->regs.rax == -EINTR && !t->signals.number &&
	       !t->signals.delivering && !signals_wait(t);
}

void syscalls_begin_again(struct task *t)
{
	if (!ended_by_stop(t))
		return;
	t->regs.rax = -(uint64_t)ERESTARTNOINTR;
	task_write_regs(t);
}

void syscalls_undo_stop(struct task *t)
{
	if (!ended_by_stop(t))
		return;
	syscalls_undo(t);
}
