/* SPDX-License-Identifier: MIT */
/*
 * Shadow stacks (Intel's and AMD's CET). A return must match the call that the processor has seen,
 * which translated code does not make. So programs cannot have one, under any backend.
 */
#ifndef SHADOW_STACK_H
#define SHADOW_STACK_H

#include "recorder/core/session.h"

/* The task enters a system call, task->syscall. */
void shadow_stack_entering(struct task *task);

/* True if a line of /proc/PID/status says that the thread has a shadow stack. */
bool shadow_stack_is_told(const char *line);

/*
 * Returns 0; or -1 with the session's error if the stopped task, which has run natively, has one.
 */
int shadow_stack_look(const struct task *task);

#endif
