/* SPDX-License-Identifier: MIT */
/*
 * /proc/PID/mem, by which a program can write to code past the protection of the code. Once a
 * recorded program has opened such a file for writing, no code of any recorded process is taken to
 * be stable. Writes by processes that are not recorded are missed.
 */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include "recorder/core/session.h"

/*
 * Checks whether a system call, task->syscall, which the task leaves with this result, opened such
 * a file.
 */
void memory_file_leaving(struct task *task, int64_t result);

#endif
