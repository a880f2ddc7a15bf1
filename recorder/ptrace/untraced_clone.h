/* SPDX-License-Identifier: MIT */
/*
 * Children that a program starts with CLONE_UNTRACED would not be traced. The kernel gets the flag
 * cleared; parent and child get their registers and memory back as they were.
 */
#ifndef UNTRACED_CLONE_H
#define UNTRACED_CLONE_H

#include "recorder/core/session.h"

/* Clears the flag in task->syscall, which the task enters. */
void untraced_clone_entering(struct task *task);

/* Prepares the child of such a call, which has not run yet. */
void untraced_clone_child(struct task *child, const struct task *parent);

/* The task leaves the call, or has been started by it and is about to run. */
void untraced_clone_leaving(struct task *task);

#endif
