/* SPDX-License-Identifier: MIT */
/* Letting go of what is traced. */
#ifndef RELEASE_H
#define RELEASE_H

#include "recorder/core/session.h"

/* Lets a stopped task go on natively and forgets it. */
void task_release(struct task *task);

/* Forgets a task that is traced no more, without events; all of them. */
void task_forget(struct task *task);
void tasks_forget(struct session *session);

#endif
