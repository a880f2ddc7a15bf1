/* SPDX-License-Identifier: MIT */
/*
 * From a place in the cache to one between two instructions of the program: the task's registers
 * become those of the program, and what it has executed goes to its stream. Functions return 0 or
 * -1 with session->error.
 */
#ifndef SETTLE_H
#define SETTLE_H

#include "recorder/translate/thread/precise.h"

/* Settles a task, wherever it has stopped. */
int settle_task(struct task *task);

/* Settles a task that is stopped at cache pc; its registers have been read. */
int settle_at(struct task *task, uint64_t pc);

/* It stands at cache pc before the system call that ends a path, whose record is yet to be
 * completed: the path is pending. */
int settle_before_syscall(struct task *task, struct translation *path, uint64_t pc);

/* The system call is not entered: the path has been left before it. */
int settle_pending(struct task *task);

#endif
