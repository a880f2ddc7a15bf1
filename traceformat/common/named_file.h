/* SPDX-License-Identifier: MIT */
/*
 * Opens files that a received file names, as a trace names its modules and debug information its
 * sources. The sender may have chosen the names, so these functions open nothing that blocks,
 * stands for another file, or acts when it is opened.
 */
#ifndef NAMED_FILE_H
#define NAMED_FILE_H

#include <limits.h>
#include <stdbool.h>

/*
 * Opens a regular file for reading. The path must be absolute. With its links resolved, it must not
 * lead through /proc, /dev or /sys, or through a file system of their kind elsewhere. Returns a
 * file descriptor, or -1 and *why, as in "FILE is not a regular file". resolved, if not NULL, gets
 * the path without links.
 */
int named_file_open(const char *path, char resolved[PATH_MAX], const char **why);

/* Opens a folder in the same way; the descriptor is of O_PATH. */
int named_folder_open(const char *path, char resolved[PATH_MAX], const char **why);

/* Returns true if a path is that of the folder or of something below it. Both must be resolved. */
bool is_below(const char *path, const char *folder);

#endif
