/* SPDX-License-Identifier: MIT */
/*
 * Brings tasks from a place in the cache to one between two instructions of the program: their
 * registers become the program's, and what they have executed goes to their streams. The functions
 * return 0, or -1 with session->error.
 */
#ifndef SYNCHRONIZE_H
#define SYNCHRONIZE_H

#include "recorder/translate/thread/state_reconstruction.h"

/* Synchronizes a task wherever it has stopped. */
int synchronize_task(struct task *task);

/* Synchronizes a task that is stopped at cache pc; its registers have been read. */
int synchronize_at(struct task *task, uint64_t pc);

/* Synchronizes a task that is stopped at cache pc, before the system call that ends a superblock.
 * The superblock's record is not complete yet, so the superblock becomes pending. */
int synchronize_before_syscall(struct task *task, struct translation *superblock, uint64_t pc);

/* Writes the pending superblock as left before its system call, which is not made. */
int synchronize_pending(struct task *task);

#endif
