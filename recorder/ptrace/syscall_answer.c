/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/syscall_answer.h"

#include "recorder/core/task.h"
#include "recorder/ptrace/filter_program.h"

void syscall_answer(struct task *t, int64_t result)
{
	t->syscall.answered = true;
	t->syscall.answer = result;
	t->regs.orig_rax = UINT64_MAX;
	/* Filters are asked about no call, too. */
	if (t->process->confined)
		t->regs.rip = FILTER_PROGRAM_PC;
	task_write_regs(t);
}
