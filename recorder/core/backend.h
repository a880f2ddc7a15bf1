/* SPDX-License-Identifier: MIT */
/*
 * How a program is made to tell what it executes. The session knows processes, threads, system
 * calls, signals and mappings; a backend knows how to run a thread so that its path executions
 * reach its stream.
 *
 * A task is *synchronized* if it stands between two instructions of the program, its registers are the
 * program's (whatever code the backend really runs), and all that it has executed is in its
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

	int level; /* zstd level that keeps up with it, see tf_writer_options */

	/* Tasks may run in user code at the same time; otherwise it is one at a time, and the
	 * recorded order is exact (session->serial). */
	bool parallel;

	/* Its paths use rsp, so that the stream must know it wherever one of them is entered. */
	bool uses_rsp;

	/* A new task; it has not run yet. Its process's memory is its own, or shared with the
	 * task that created it. */
	int (*task_start)(struct task *task);

	/* It is the first one of a process that has been forked, with a copy of the parent's
	 * memory. May be NULL. */
	void (*fork)(struct task *child, const struct task *parent);

	/* It has been killed or ends by itself, and may stand anywhere: writes what it executed, as
	 * far as that can be told. */
	int (*exiting)(struct task *task);

	/* It is gone (or is let go): writes what it executed, if that is not in the stream yet, and
	 * frees task->backend. It cannot be resumed any more. */
	int (*task_end)(struct task *task);

	/* A synchronized task is to run natively for a while. */
	void (*pause)(struct task *task);

	/* A synchronized task is let go: takes away what the backend has in its memory, unless other
	 * tasks run there. May be NULL. */
	void (*leave)(struct task *task);

	/* It has executed a new program: nothing known of its memory holds. */
	int (*exec)(struct task *task);

	/*
	 * Resumes a synchronized task, delivering task->signal. May write events of the place where it
	 * stands, and end the recording there instead of resuming it; then it stays TASK_READY.
	 */
	int (*resume)(struct task *task);

	/*
	 * It has stopped, other than by the end of a thread or a PTRACE_EVENT; status is that of
	 * waitpid. The backend reads the registers and does what the stop calls for: accounts for
	 * what was executed, hands system calls to syscalls.h and signals to signals.h.
	 */
	int (*stopped)(struct task *task, int status);

	/* It was resumed with task->delivering, and has stopped by PTRACE_EVENT_STOP. */
	int (*delivered)(struct task *task);

	/* Adds to task->progress if a running task has executed anything since it was resumed or since the
	 * last time. NULL: it stops for each instruction. */
	void (*note_progress)(struct task *task);

	/* A running task waits for another one, and has lost its turn: it stops as soon as it goes on.
	 * NULL: it does so anyway. */
	void (*stalled)(struct task *task);

	/* Synchronizes a stopped task. While session->synchronizing, stopped() leaves it synchronized. */
	int (*synchronize)(struct task *task);

	/* True if a running task is in a system call: it is TASK_KERNEL then, with all that it has
	 * executed in its stream. It needs no interrupt, and stops behind the call. May be NULL. */
	bool (*waits)(struct task *task);

	/* Serves running tasks that ask for something without a stop, see polling.h; true if there was one. last: they stop for it from now on. May be
	 * NULL. */
	bool (*serve)(struct session *session, bool last);

	/* Reads a stopped task's registers as the program's. False: it has vanished, see task.h. */
	bool (*look)(struct task *task);

	/* Finds what of the program code that runs in a process is of. It changes nothing, and
	 * another thread may call it while the session waits. NULL: the program runs itself. */
	struct program_place (*origin)(const struct process *process, uint64_t pc);

	/* Waits until nobody else writes to the streams; NULL: nobody does. */
	int (*sync)(struct session *session);

	/* The session is over. May be NULL. */
	void (*end)(struct session *session);
};

extern const struct backend step_backend, translate_backend;

/* The translate backend lets the step backend have a task for some blocks: true between them. */
bool step_is_between_blocks(const struct task *task);

#endif
