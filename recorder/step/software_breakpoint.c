/* SPDX-License-Identifier: MIT */
#include "recorder/step/software_breakpoint.h"

#include "recorder/core/task.h"

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
