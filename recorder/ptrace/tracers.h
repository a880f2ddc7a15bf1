/* SPDX-License-Identifier: MIT */
/*
 * Programs that trace others with ptrace(2). A process has one tracer, so the recorder lets a
 * process go before another program begins to trace it. The process is not recorded from there on.
 */
#ifndef TRACERS_H
#define TRACERS_H

#include "recorder/core/session.h"

/*
 * Releases the process that another program begins to trace by the system call that the task
 * enters: PTRACE_TRACEME, ATTACH or SEIZE. If that is the task's own process, the task is moved
 * back before the call and makes it after its release (process->life.leaving). Returns 0, or -1
 * with session->error.
 */
int tracers_entering(struct task *task);

#endif
