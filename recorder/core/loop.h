/* SPDX-License-Identifier: MIT */
/*
 * Services of the event loop for the files below it. The loop calls these files, so they cannot
 * include it; the session has a table of the loop's functions instead, as it has of a backend's.
 */
#ifndef LOOP_H
#define LOOP_H

#include "recorder/core/session.h"

/* The functions behind synchronize_others() and session_let_go(). */
struct loop {
	int (*synchronize_others)(struct session *session, struct task *self,
				  bool (*wanted)(const struct task *task, const void *opaque),
				  const void *opaque);
	int (*let_go)(struct session *session, struct task *self, const struct process *process);
};

enum { SYNCHRONIZE_STUCK = 1 };

extern const struct loop event_loop;

/*
 * Stops all tasks that run in user code except `self`, or only those that are wanted, serves their
 * stops, and synchronizes every stopped one. Resumes none. `self` (may be NULL) may be TASK_DYING
 * afterwards, but is not freed. Returns 0 or -1, or SYNCHRONIZE_STUCK if running tasks still wait
 * for another task (schedule.h); they stop once they go on.
 */
static inline int synchronize_others(struct session *session, struct task *self,
				     bool (*wanted)(const struct task *task, const void *opaque),
				     const void *opaque)
{
	return session->loop->synchronize_others(session, self, wanted, opaque);
}

/*
 * Releases all tasks of a process with process->life.leaving except `self` (may be NULL, or of
 * another process). A task that waits for its vfork child stays. The process may be gone
 * afterwards, and `self` may be TASK_DYING. Returns 0 or -1.
 */
static inline int session_let_go(struct session *session, struct task *self,
				 const struct process *process)
{
	return session->loop->let_go(session, self, process);
}

#endif
