/* SPDX-License-Identifier: MIT */
/* Files of results: they never replace what the command reads, and are complete or do not exist. */
#ifndef SAVE_FILE_H
#define SAVE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Returns whether writing to out would destroy trace, under any names, after a message if so.
 * A trace of "-" is standard input.
 */
bool would_overwrite(const char *out, const char *trace);

/*
 * Names a file that the command reads ("-": standard input). No result can then replace it. Called
 * before threads start, at most OVERWRITE_INPUTS times; the path must last.
 */
enum { OVERWRITE_INPUTS = 4 };
void protect_input(const char *path);

/* Returns whether writing to out would destroy one of these files, after a message if so. */
bool would_overwrite_input(const char *out);

/* Returns whether out is a dangling symbolic link, which would create a file elsewhere, after a
 * message if so. */
bool is_dangling(const char *out);

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
