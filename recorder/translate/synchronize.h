/* SPDX-License-Identifier: MIT */
/*
 * From a place in the cache to one between two instructions of the program: the task's registers
 * become those of the program, and what it has executed goes to its stream. Functions return 0 or
 * -1 with session->error.
 */
#ifndef SYNCHRONIZE_H
#define SYNCHRONIZE_H

#include "recorder/translate/thread/state_reconstruction.h"

/* Synchronizes a task, wherever it has stopped. */
int synchronize_task(struct task *task);

/* Synchronizes a task that is stopped at cache pc; its registers have been read. */
int synchronize_at(struct task *task, uint64_t pc);

/* It stands at cache pc before the system call that ends a superblock, whose record is yet to be
 * completed: the superblock is pending. */
int synchronize_before_syscall(struct task *task, struct translation *superblock, uint64_t pc);

/* The system call is not entered: the superblock has been left before it. */
int synchronize_pending(struct task *task);

#endif
