/* SPDX-License-Identifier: MIT */
/* Files of results: they never replace what the command reads, and are complete or do not exist. */
#ifndef SAVE_FILE_H
#define SAVE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Returns true, after a message, if out and trace are the same file, so that writing to out would
 * destroy trace. A trace of "-" is standard input.
 */
bool would_overwrite(const char *out, const char *trace);

/*
 * Registers a file that the command reads ("-": standard input), so that no result can replace it.
 * Call it before threads start, at most OVERWRITE_INPUTS times; the path must last. NULL is
 * allowed.
 */
enum { OVERWRITE_INPUTS = 4 };
void protect_input(const char *path);

/* Returns true, after a message, if writing to out would destroy a registered file. */
bool would_overwrite_input(const char *out);

/*
 * Returns true, after a message, if out is a dangling symbolic link, because writing to it would
 * create a file elsewhere.
 */
bool is_dangling(const char *out);

/*
 * Creates a file to be written: a temporary file beside `path` if that is a regular file or does
 * not exist, otherwise `path` itself. Returns NULL after a message. `path` must last until
 * save_file_end or save_file_drop.
 */
struct save_file;
struct save_file *save_file_begin(const char *path);
FILE *save_file_stream(struct save_file *file);

/* Finishes the file and gives it its name. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int save_file_end(struct save_file *file);

/* Removes the unfinished file and frees it. NULL is allowed. */
void save_file_drop(struct save_file *file);

#endif
