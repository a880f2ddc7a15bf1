/* SPDX-License-Identifier: MIT */
/*
 * Handles the system calls that tasks make in the cache (call_stub.h) where the stub does not
 * suffice: the task stops in a call, or the session needs to know what the task executed before a
 * call that waits. In the second case the task is treated as a task in the kernel (THREAD_CALLING).
 * The stub holds it after the call, so the call need not be interrupted.
 */
#ifndef CALLS_H
#define CALLS_H

#include "recorder/translate/thread/thread.h"

/* Prepares the context of a synchronized task that is about to enter the cache. */
void calls_begin(struct task *task);

/* Decides again whether the task may make calls in the cache. Called after its set of CPUs has
 * changed. */
void calls_allow(struct task *task);

/* Updates the task's pointers after the superblock's record has moved to another buffer. The task
 * is about to complete that record in the stub, before its call. */
void calls_set_record(struct task *task);

/* Implements `waits` of backend.h. */
bool calls_wait(struct task *task);

/* Writes the system call that ended a superblock, if it is recorded, and follows its effects. The
 * superblock is counted, or its record is complete except for the header. The task has stopped, and
 * its registers are the program's. Returns 0 or -1. */
int calls_write(struct task *task, const struct translation *superblock);

/* Synchronizes a THREAD_CALLING task that has stopped by a signal, or for another reason (signal
 * 0). Its registers have been read. Returns 0 or -1. */
int calls_stopped(struct task *task, int signal);

/* Makes synchronize_others() interrupt the waiting tasks of this address space, because the code
 * that they would return to is about to be freed. */
void calls_expel(struct task *task);

#endif
