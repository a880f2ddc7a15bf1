/* SPDX-License-Identifier: MIT */
/* Result files that are there whole or not at all. */
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

/* Ends it: the file gets its name. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int save_file_end(struct save_file *file);

/* Gives it up; NULL is allowed. */
void save_file_drop(struct save_file *file);

#endif
