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

#endif
