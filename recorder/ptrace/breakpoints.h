/* SPDX-License-Identifier: MIT */
/* Breakpoints of --from, at each place where a process has the symbol mapped. */
#ifndef BREAKPOINTS_H
#define BREAKPOINTS_H

#include "recorder/core/session.h"

/* Sets the breakpoints in a stopped task's process. */
void breakpoints_arm(struct task *task);

/* Removes the breakpoints from the process's memory. */
void breakpoints_disarm(struct task *task);

/*
 * Returns true if the task stopped at a breakpoint. The task then stands before the program's
 * instruction there.
 */
bool breakpoints_stopped(struct task *task, int status);

#endif
