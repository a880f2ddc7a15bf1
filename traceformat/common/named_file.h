/* SPDX-License-Identifier: MIT */
/*
 * Files that a received file names: a trace its modules, debug information its sources. Whoever
 * sent it may have chosen the names, so nothing is opened that waits, answers for another file, or
 * acts when it is opened.
 */
#ifndef NAMED_FILE_H
#define NAMED_FILE_H

#include <limits.h>
#include <stdbool.h>

/*
 * Opens a regular file for reading. The path must be absolute and, links resolved, not lead through
 * /proc, /dev or /sys, nor through a file system of their kind elsewhere. Returns a file descriptor,
 * or -1 and *why, as in "FILE is not a regular file". resolved, if not NULL, gets the path without
 * links.
 */
int named_file_open(const char *path, char resolved[PATH_MAX], const char **why);

/* Opens a folder in the same way; the descriptor is of O_PATH. */
int named_folder_open(const char *path, char resolved[PATH_MAX], const char **why);

/* Whether a path is that of a folder, or of what is below it. Both are resolved. */
bool is_below(const char *path, const char *folder);

#endif
