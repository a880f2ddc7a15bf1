/* SPDX-License-Identifier: MIT */
/*
 * Handles the begin and the end of processes and threads: their records, streams and events. All
 * functions return 0 or -1 unless stated otherwise.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "recorder/core/session.h"

/* Adds the program's process, before it executes the program. */
int process_begin(struct session *session, pid_t pid);

/*
 * The first adds a running process (NULL: memory is out); the second its threads, one by one; the
 * third, with one of its tasks, begins the recording when all threads have stopped.
 */
struct process *process_adopt(struct session *session, pid_t pid);
int process_adopt_thread(struct process *process, pid_t tid);
int process_adopted(struct task *task);

/* Reads the mappings of processes that have run natively. */
int process_look(struct session *session);

/* Serves the PTRACE_EVENT_FORK, VFORK or CLONE of a task that has started another one. */
int process_child(struct task *task);
int process_vfork_done(struct task *task);

/*
 * Serves a PTRACE_EVENT_STOP: a new task's first stop, one that the recorder requested, or a group
 * stop.
 */
int process_event_stop(struct task *task);

/* Serves a task that has executed a program. */
int process_exec(struct task *task);

/*
 * Serves the exit stop of a task, the last time that its registers can be read. Resumes the task.
 */
int process_exiting(struct task *task);

/* Frees a task that has ended; status is that of waitpid. */
int process_end_task(struct task *task, int status);

#endif
