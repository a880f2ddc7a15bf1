/* SPDX-License-Identifier: MIT */
/*
 * /proc/PID/mem, by which a program can write to code past the protection of the code. Once a program has
 * opened such a file for writing, no code of any recorded process is taken to be stable.
 */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include "recorder/core/session.h"

/* The task leaves a system call, task->syscall, with that result. */
void memory_file_leaving(struct task *task, int64_t result);

#endif
