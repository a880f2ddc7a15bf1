/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/dumpable.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"
#include "recorder/ptrace/remote.h"
#include "recorder/ptrace/syscalls.h"

static bool is_call(const struct task *t, unsigned option)
{
	return t->syscall.number == SYS_prctl && (uint32_t)t->syscall.args[0] == option;
}

void dumpable_entering(struct task *t)
{
	if (is_call(t, PR_SET_DUMPABLE) && !t->syscall.args[1] && !t->process->confined)
		syscalls_answer(t, 0);
}

void dumpable_leaving(struct task *t)
{
	struct process *p = t->process;

	if (is_call(t, PR_SET_DUMPABLE) && t->regs.rax == 0) {
		p->undumpable = !t->syscall.args[1];
		if (p->undumpable && p->confined)
			remote_syscall(t, SYS_prctl, (uint64_t[6]){ PR_SET_DUMPABLE, 1 });
	} else if (is_call(t, PR_GET_DUMPABLE) && t->regs.rax == 1 && p->undumpable) {
		t->regs.rax = 0;
		task_write_regs(t);
	}
}

void dumpable_leave(struct task *t)
{
	if (t->process->undumpable)
		remote_syscall(t, SYS_prctl, (uint64_t[6]){ PR_SET_DUMPABLE, 0 });
	t->process->undumpable = false;
}
