/* SPDX-License-Identifier: MIT */
/* Telling the trace what is mapped, and keeping the address space up to date with it. */
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include "recorder/core/session.h"

/* All of these write MAPPING events to the task's stream and return 0 or -1. */

/* Makes the process's address space what /proc/PID/maps says, and tells the differences. */
int mappings_sync(struct task *task);

/* Tells all of an address space that a new process has from its parent. */
int mappings_inherited(struct task *task);

/* Tells what task->syscall, which has just returned, has changed. */
int mappings_after_syscall(struct task *task);

#endif
