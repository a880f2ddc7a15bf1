/* SPDX-License-Identifier: MIT */
/*
 * A breakpoint where a stopped task is to stop again: in the task's debug registers, which other
 * tasks do not see, or where there are none, by int3 in the program's code.
 */
#ifndef TASK_BREAKPOINT_H
#define TASK_BREAKPOINT_H

#include "recorder/core/session.h"

/*
 * Sets the hardware breakpoint: the task stops, by SIGTRAP, before it executes the instruction at
 * pc. Returns false if the kernel has none for the task.
 */
bool hardware_breakpoint_set(pid_t tid, uint64_t pc);

void hardware_breakpoint_clear(pid_t tid);

/* A breakpoint by int3. No other task may run while the breakpoint is set. */
struct software_breakpoint {
	uint64_t pc;
	uint8_t original; /* the program's byte at pc */
	bool set;
};

/* Sets the breakpoint of a stopped task. Returns false if there is no memory at pc. */
bool software_breakpoint_set(struct task *task, struct software_breakpoint *breakpoint,
			     uint64_t pc);

/*
 * Removes the breakpoint, if there is one, after a stop. Returns true if the stop was the
 * breakpoint's; the task then stands at pc.
 */
bool software_breakpoint_remove(struct task *task, struct software_breakpoint *breakpoint);

#endif
