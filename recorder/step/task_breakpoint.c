/* SPDX-License-Identifier: MIT */
#include "recorder/step/task_breakpoint.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "recorder/core/task.h"

/* ---- by a debug register ----------------------------------------------------------------- */

/* Writes debug register 7: breakpoint 0, on execution, enabled for the task or disabled. */
static bool control(pid_t tid, long value)
{
	return ptrace(PTRACE_POKEUSER, tid, (void *)offsetof(struct user, u_debugreg[7]), value) ==
	       0;
}

bool hardware_breakpoint_set(pid_t tid, uint64_t pc)
{
	void *address = (void *)offsetof(struct user, u_debugreg[0]);

	return ptrace(PTRACE_POKEUSER, tid, address, (long)pc) == 0 && control(tid, 1);
}

void hardware_breakpoint_clear(pid_t tid)
{
	control(tid, 0);
}

/* ---- by int3 ----------------------------------------------------------------------------- */

static const uint8_t int3 = 0xcc;

bool software_breakpoint_set(struct task *t, struct software_breakpoint *b, uint64_t pc)
{
	b->pc = pc;
	b->set = task_read_code(t, pc, &b->original, 1) == 1 && task_write(t, pc, &int3, 1);
	return b->set;
}

static bool has_stopped(const struct task *t, const struct software_breakpoint *b)
{
	siginfo_t info;

	return t->regs.rip == b->pc + 1 && task_read_info(t, &info) && info.si_signo == SIGTRAP &&
	       info.si_code == SI_KERNEL;
}

bool software_breakpoint_remove(struct task *t, struct software_breakpoint *b)
{
	if (!b->set)
		return false;
	b->set = false;
	task_write(t, b->pc, &b->original, 1);
	if (!has_stopped(t, b))
		return false;
	t->regs.rip = b->pc;
	return task_write_regs(t);
}
