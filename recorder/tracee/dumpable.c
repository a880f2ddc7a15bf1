/* SPDX-License-Identifier: MIT */
#include "recorder/tracee/dumpable.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "recorder/tracee/remote.h"
#include "recorder/tracee/syscalls.h"

void dumpable_entering(struct task *t)
{
	const struct syscall_state *c = &t->syscall;
	struct process *p = t->process;

	/* A filter of seccomp may forbid the call, and must be asked. */
	if (c->number != SYS_prctl || p->confined)
		return;
	if ((uint32_t)c->args[0] == PR_SET_DUMPABLE && c->args[1] <= 1) {
		p->undumpable = !c->args[1];
		if (p->undumpable)
			syscalls_answer(t, 0);
	} else if ((uint32_t)c->args[0] == PR_GET_DUMPABLE && p->undumpable) {
		syscalls_answer(t, 0);
	}
}

void dumpable_leave(struct task *t)
{
	if (t->process->undumpable)
		remote_syscall(t, SYS_prctl, (uint64_t[6]){ PR_SET_DUMPABLE, 0 });
	t->process->undumpable = false;
}
