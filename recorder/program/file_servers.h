/* SPDX-License-Identifier: MIT */
/*
 * File systems whose files come from a process, as in user space (FUSE), or from another machine.
 * The recorder does not wait for them, as it may have stopped that process. From mappings of their
 * files it reads only pages that are present (/proc/PID/pagemap); tasks load the others (touch.h).
 * The file itself is read by a thread for at most a second, else the module has no symbols. A task
 * that waits for the server cannot even be interrupted: work that needs all tasks out of the cache
 * is put off, and other tasks are stepped.
 */
#ifndef FILE_SERVERS_H
#define FILE_SERVERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "recorder/core/session.h"

/* Returns true if the device of a file that the task has mapped is such a file system. */
bool file_servers_have(const struct task *task, dev_t device);

/*
 * Copies a file to memory. Returns a descriptor of the copy, or -1 if the file cannot be read;
 * *late is true if it could not be read in time.
 */
int file_servers_copy(const char *path, bool *late);

#endif
