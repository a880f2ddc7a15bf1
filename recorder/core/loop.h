/* SPDX-License-Identifier: MIT */
/*
 * What the event loop does for the files below it. The loop calls them, so that they cannot include
 * the loop; the session has a table of its functions instead, as it has of a backend's.
 */
#ifndef LOOP_H
#define LOOP_H

#include "recorder/core/session.h"

struct loop {
	int (*synchronize_others)(struct session *session, struct task *self,
				  bool (*wanted)(const struct task *task, const void *opaque),
				  const void *opaque);
	int (*let_go)(struct session *session, struct task *self, const struct process *process);
};

enum { SYNCHRONIZE_STUCK = 1 };

extern const struct loop event_loop;

/*
 * Stops all tasks that run in user code but `self`, or those that are wanted, serves their stops,
 * and synchronizes all of them that are stopped. Resumes none. `self` (may be NULL) may be
 * TASK_DYING then, but is not freed. Returns 0 or -1; SYNCHRONIZE_STUCK: tasks that run still wait
 * for another task (stalls.h), and stop once they go on.
 */
int synchronize_others(struct session *session, struct task *self,
		       bool (*wanted)(const struct task *task, const void *opaque),
		       const void *opaque);

/*
 * Lets go of all tasks of a process with process->goes but `self` (may be NULL, or of another
 * process). A task that waits for its vfork child stays. The process may be gone then, and `self`
 * may be TASK_DYING. Returns 0 or -1.
 */
int session_let_go(struct session *session, struct task *self, const struct process *process);

#endif
