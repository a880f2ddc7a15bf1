/* SPDX-License-Identifier: MIT */
/*
 * File systems whose files come from a process, as those in user space (FUSE), or from another machine. The
 * recorder does not wait for them: it may have stopped that process.
 */
#ifndef FILE_SERVERS_H
#define FILE_SERVERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "recorder/core/session.h"

/* Returns true if a device that the task has mapped a file of is such a file system. */
bool file_servers_have(const struct task *task, dev_t device);

/* Copies a file to memory. Returns a descriptor of the copy; -1: it cannot be read, or, *late, not in
 * time. */
int file_servers_copy(const char *path, bool *late);

#endif
