/* SPDX-License-Identifier: MIT */
/* Breakpoints of --from, wherever a process has the symbol mapped. */
#ifndef BREAKPOINTS_H
#define BREAKPOINTS_H

#include "recorder/core/session.h"

/* Sets them in a stopped task's process. */
void breakpoints_arm(struct task *task);

/* Takes them out of its memory. */
void breakpoints_disarm(struct task *task);

/* True if the task stopped at one, and then it stands before the instruction that is there. */
bool breakpoints_stopped(struct task *task, int status);

#endif
