/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads beginning and ending: their records, streams and events. All functions
 * return 0 or -1 unless stated otherwise.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "recorder/core/session.h"

/* The program, before it is executed. */
int process_begin(struct session *session, pid_t pid);

/* A process that runs already, NULL: memory is out; its threads, one by one; and when all of them
 * have stopped, of which `task` is one: the recording begins. */
struct process *process_adopt(struct session *session, pid_t pid);
int process_adopt_thread(struct process *process, pid_t tid);
int process_adopted(struct task *task);

/* Looks what is mapped in processes that have run natively. */
int process_look(struct session *session);

/* A task has started another one, at its PTRACE_EVENT_FORK, VFORK or CLONE. */
int process_child(struct task *task);
int process_vfork_done(struct task *task);

/* A stop by PTRACE_EVENT_STOP: a new task's first, one that we asked for, a group stop. */
int process_event_stop(struct task *task);

/* It has executed a program. */
int process_exec(struct task *task);

/* It is about to end: the last time that its registers can be read. Resumes it. */
int process_exiting(struct task *task);

/* It has ended; status is that of waitpid. Frees it. */
int process_end_task(struct task *task, int status);

#endif
