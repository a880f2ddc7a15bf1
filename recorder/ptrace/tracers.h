/* SPDX-License-Identifier: MIT */
/*
 * Programs that trace others with ptrace(2). A process has one tracer, so the recorder lets a
 * process go before another program begins to trace it. The process is not recorded from there on.
 */
#ifndef TRACERS_H
#define TRACERS_H

#include "recorder/core/session.h"

/*
 * Lets the process go that becomes a tracee by the system call on whose way in the task has
 * stopped: PTRACE_TRACEME, ATTACH and SEIZE. Where that is the task's own process, the call is not
 * made: the task stands before the call when it is let go (process->life.leaving). Returns 0, or -1 with
 * session->error.
 */
int tracers_entering(struct task *task);

#endif
