/* SPDX-License-Identifier: MIT */
/*
 * System calls that a task makes in the cache (call_stub.h), where more than the stub is needed: it
 * is stopped in one, or others must know what it has executed while it waits there. Then it is told
 * as a task in the kernel (THREAD_CALLING) and held behind the call, so no call is interrupted for
 * that.
 */
#ifndef CALLS_H
#define CALLS_H

#include "recorder/translate/thread/thread.h"

/* The synchronized task enters the cache. */
void calls_begin(struct task *task);

/* Its CPUs have changed, and so may have what it can call there. */
void calls_allow(struct task *task);

/* The superblock's record that the task is about to complete in the stub, before its call, has been
 * moved. */
void calls_set_record(struct task *task);

/* See backend.h, `waits`. */
bool calls_wait(struct task *task);

/* The superblock, whose record at its place is complete but for the head, has been left by a system call
 * that was made: writes the call. The task has stopped; its registers are the program's. Returns 0
 * or -1. */
int calls_write(struct task *task, const struct translation *superblock);

/* A THREAD_CALLING has stopped, by a signal or (0) otherwise, with its registers read: it is
 * synchronized. Returns 0 or -1. */
int calls_stopped(struct task *task, int signal);

/* Those of the task's address space that wait are to be interrupted by synchronize_others: what
 * they would come back to will be gone. */
void calls_expel(struct task *task);

#endif
