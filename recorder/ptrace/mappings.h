/* SPDX-License-Identifier: MIT */
/* Writes mappings to the trace and keeps the address space up to date. */
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include "recorder/core/session.h"

/* All functions write MAPPING events to the task's stream and return 0 or -1. */

/* Updates the process's address space from /proc/PID/maps, and writes the differences. */
int mappings_sync(struct task *task);

/* Writes all mappings that a new process has from its parent. */
int mappings_inherited(struct task *task);

/* Writes the changes by task->syscall, which has just returned. */
int mappings_after_syscall(struct task *task);

/*
 * Checks whether task->syscall, which has returned this result, opened a /proc/PID/mem for writing.
 * By that file a program can write to code past the protection of the code: from then on no code of
 * any recorded process is taken to be stable. Writes by processes that are not recorded are missed.
 */
void mappings_after_open(struct task *task, int64_t result);

#endif
