/* SPDX-License-Identifier: MIT */
/* A child of the test that is traced as the recorder traces a task, in a session of its own. */
#ifndef TRACED_CHILD_H
#define TRACED_CHILD_H

#include "recorder/core/session.h"

struct traced_child {
	struct session session;
	struct process process;
	struct task task;
};

/*
 * Forks a child, which calls prepare() unless NULL, and is stopped then with its registers in
 * child->task.regs. The child is to exit as soon as it continues.
 */
void traced_child_start(struct traced_child *child, void (*prepare)(void));

/* Joins task, process and session, and finds a system call instruction for remote calls. */
void traced_child_join(struct traced_child *child);

/* Lets the child end as if the recorder had done nothing with it. */
void traced_child_end(struct traced_child *child);

#endif
