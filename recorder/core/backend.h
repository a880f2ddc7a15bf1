/* SPDX-License-Identifier: MIT */
/*
 * The interface of a backend. The session handles processes, threads, system calls, signals and
 * mappings; a backend runs a thread so that its path executions reach its stream.
 *
 * A task is *synchronized* if it stands between two instructions of the program, its registers are
 * the program's (whatever code the backend really runs), and all that it has executed is in its
 * stream. Only then does the session look at its registers or write events.
 *
 * Functions return 0 or -1 with session->error, unless stated otherwise.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include "recorder/core/session.h"
#include "recorder/samples/program_place.h"
#include "traceformat/tracewriter.h"

struct backend {
	const char *name;

	int level; /* zstd level that keeps up with the backend, see tf_writer_options */

	/*
	 * True if tasks may run in user code at the same time. Otherwise they run one at a time,
	 * and the recorded order is exact (session->schedule.serial).
	 */
	bool parallel;

	/*
	 * True if the backend's paths use rsp, so that the stream must have rsp wherever a path is
	 * entered.
	 */
	bool uses_rsp;

	/*
	 * Sets up a new task that has not run yet. The process's memory is its own, or is shared
	 * with the task that created it.
	 */
	int (*task_start)(struct task *task);

	/*
	 * Sets up the first task of a forked process, with a copy of the parent's memory. May be
	 * NULL.
	 */
	void (*fork)(struct task *child, const struct task *parent);

	/*
	 * Writes what a task executed that was killed or ends by itself and may stand anywhere, as
	 * far as that can be determined.
	 */
	int (*exiting)(struct task *task);

	/*
	 * Writes what a task executed that has ended or is released, if the stream lacks it, and
	 * frees task->backend. The task cannot be resumed any more.
	 */
	int (*task_end)(struct task *task);

	/* Prepares a synchronized task for running natively for a while. */
	void (*pause)(struct task *task);

	/*
	 * Removes what the backend has in the memory of a synchronized task that is released,
	 * unless other tasks run there. May be NULL.
	 */
	void (*leave)(struct task *task);

	/* Discards all knowledge of the memory of a task that has executed a new program. */
	int (*exec)(struct task *task);

	/*
	 * Resumes a synchronized task and delivers task->signals.number. May write events of the
	 * place where the task stands, and may end the recording there instead of resuming the
	 * task, which then stays TASK_READY.
	 */
	int (*resume)(struct task *task);

	/*
	 * Serves a stop that is neither the end of a thread nor a PTRACE_EVENT; status is that of
	 * waitpid. The backend reads the registers and does what the stop calls for: it accounts
	 * for executed instructions, hands system calls to syscalls.h and signals to signals.h.
	 */
	int (*stopped)(struct task *task, int status);

	/* Serves the PTRACE_EVENT_STOP of a task that was resumed with task->signals.delivering. */
	int (*delivered)(struct task *task);

	/*
	 * Adds to task->progress if a running task has executed anything since it was resumed or
	 * since the last call. NULL: the task stops for each instruction.
	 */
	void (*count_progress)(struct task *task);

	/*
	 * Makes a running task stop as soon as it goes on: it waits for another task and has lost
	 * its turn. NULL: it stops anyway.
	 */
	void (*stalled)(struct task *task);

	/*
	 * Synchronizes a stopped task. While session->synchronizing, stopped() leaves it
	 * synchronized.
	 */
	int (*synchronize)(struct task *task);

	/*
	 * Returns true if a running task is in a system call. The task is then TASK_KERNEL, with
	 * all that it has executed in its stream; it needs no interrupt, and stops behind the
	 * call. May be NULL.
	 */
	bool (*waits)(struct task *task);

	/*
	 * Serves running tasks that made a request without a stop, see polling.h. Returns true if
	 * there was one. With `last` set, tasks stop for their requests from now on. May be NULL.
	 */
	bool (*serve)(struct session *session, bool last);

	/*
	 * Reads a stopped task's registers as the program's. Returns false if the task has
	 * vanished, see task.h.
	 */
	bool (*look)(struct task *task);

	/*
	 * Finds the program's instruction that the code at pc stands for. Changes nothing, so that
	 * another thread may call it while the session waits. NULL: the program runs its own code.
	 */
	struct program_place (*origin)(const struct process *process, uint64_t pc);

	/*
	 * Adds all that the task, which is synchronized or in a system call, has executed to the
	 * present interval (intervals.h). NULL: everything is there already.
	 */
	int (*end_interval)(struct task *task);

	/*
	 * Makes tasks stop at the armed heads of loops (loop_heads.h), and calls region_head() for
	 * a task that stands at one; or at none any more. All tasks are synchronized. `fresh`: some
	 * of the heads have never been armed before. NULL: tasks cannot stop there.
	 */
	int (*arm)(struct task *task, bool fresh);

	/* Waits until no other thread writes to the streams. NULL: none does. */
	int (*sync)(struct session *session);

	/* Frees the backend's part of a session that is over. May be NULL. */
	void (*end)(struct session *session);
};

extern const struct backend step_backend, translate_backend;

/*
 * Returns true if a task that the translate backend has handed to the step backend stands between
 * two blocks.
 */
bool step_is_between_blocks(const struct task *task);

#endif
