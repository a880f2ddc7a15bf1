/* SPDX-License-Identifier: MIT */
/* Releases traced tasks. */
#ifndef RELEASE_H
#define RELEASE_H

#include "recorder/core/session.h"

/* Releases a stopped task, which goes on natively, and frees it. */
void task_release(struct task *task);

/* The first frees a task that is no longer traced, without events; the second frees all of them. */
void task_forget(struct task *task);
void tasks_forget(struct session *session);

/*
 * Releases the children that no event will name, once no other task can have such an event pending.
 * A child is traced from its first instruction on and stops there, often before its parent's
 * PTRACE_EVENT_FORK names it. If the parent is killed in between (by SIGKILL, by another thread's
 * exec), that event never comes.
 */
void orphans_release(struct session *session);

#endif
