/* SPDX-License-Identifier: MIT */
#include "recorder/step/hardware_breakpoint.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

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
