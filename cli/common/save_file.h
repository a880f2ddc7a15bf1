/* SPDX-License-Identifier: MIT */
/* Result files that either are complete or do not exist. */
#ifndef SAVE_FILE_H
#define SAVE_FILE_H

#include <stdio.h>

/*
 * Creates a file to be written: under a name beside `path` if that is a regular file or nothing
 * yet, else in place. Returns NULL after a message. `path` must last until it is closed.
 */
struct save_file;
struct save_file *save_file_begin(const char *path);
FILE *save_file_stream(struct save_file *file);

/* Finishes the file and gives it its name. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int save_file_end(struct save_file *file);

/* Removes the unfinished file. NULL is allowed. */
void save_file_drop(struct save_file *file);

#endif
