/* SPDX-License-Identifier: MIT */
/* The wait loop: who has stopped, and what that means for tasks and processes. */
#ifndef EVENT_LOOP_H
#define EVENT_LOOP_H

#include "recorder/core/session.h"

/* Serves the tasks until all have ended or are let go. */
int event_loop_run(struct session *session);

enum { SYNCHRONIZE_STUCK = 1 };

/*
 * Stops all tasks that run in user code but `self`, or those that are wanted, serves their stops,
 * and synchronizes all of them that are stopped. Nobody is resumed. `self` (may be NULL) may have
 * vanished then, but is still there. Returns 0 or -1; SYNCHRONIZE_STUCK: those that run still wait for
 * another task (stalls.h), and stop once they go on.
 */
int synchronize_others(struct session *session, struct task *self,
		       bool (*wanted)(const struct task *task, const void *opaque),
		       const void *opaque);

/*
 * Lets all tasks of a process go but `self` (may be NULL, or of another process), which
 * process->goes says already. One that waits for its vfork child stays. The process may be gone then,
 * and `self` may have vanished. Returns 0 or -1.
 */
int session_let_go(struct session *session, struct task *self, const struct process *process);

#endif
