/* SPDX-License-Identifier: MIT */
/*
 * Programs that trace others. A process has one tracer. So who is to be traced by another program is
 * let go first, and is not recorded from there on.
 */
#ifndef TRACERS_H
#define TRACERS_H

#include "recorder/session.h"

/*
 * A task has stopped on its way into a system call; if that is ptrace and makes somebody a tracee,
 * lets the process go. Where that is the task's own process, the call is not made: the task stands
 * before it when it is let go (process->goes). Returns 0 or -1.
 */
int tracers_entering(struct task *task);

#endif
