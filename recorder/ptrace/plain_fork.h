/* SPDX-License-Identifier: MIT */
/*
 * A fork whose child is not followed. The kernel would attach the child, which would then have to
 * be released at its first stop. The parent is synchronized in its system call, so the child is a
 * copy of the program as it would be natively, and begins untraced. Where something of the recorder
 * would have to be undone in the child, or where the new task shares memory with its parent, the
 * kernel attaches it as any other.
 */
#ifndef PLAIN_FORK_H
#define PLAIN_FORK_H

#include "recorder/core/session.h"

/* Keeps the kernel from attaching the child of a task that enters task->syscall, if possible. */
void plain_fork_entering(struct task *task);

/* Makes the kernel attach children again, when the task leaves that call. */
void plain_fork_leaving(struct task *task);

#endif
