/* SPDX-License-Identifier: MIT */
/* Breakpoints of --from, at each place where a process has the symbol mapped. */
#ifndef BREAKPOINTS_H
#define BREAKPOINTS_H

#include "recorder/core/session.h"

/* Sets the breakpoints in a stopped task's process. */
void breakpoints_arm(struct task *task);

/* Removes the breakpoints from the process's memory. */
void breakpoints_disarm(struct task *task);

/* Forgets the breakpoints, which are gone with the memory of a process that executes a program. */
void breakpoints_forget(struct process *process);

/* Returns true if breakpoints are in the memory of the process now. */
bool breakpoints_are_armed(const struct process *process);

/* Returns true if the process has breakpoints that are not in its memory now. */
bool breakpoints_are_removed(const struct process *process);

/*
 * Returns true if the task stopped at a breakpoint. The task then stands before the program's
 * instruction there.
 */
bool breakpoints_stopped(struct task *task, int status);

#endif
