/* SPDX-License-Identifier: MIT */
/*
 * Output files that appear only when they are complete: the output goes to a file beside the
 * target, which is renamed at the end. A target that is no regular file (a pipe, /dev/stdout) is
 * written directly.
 */
#ifndef BBV_FILE_H
#define BBV_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/common/command.h"

enum bbv_compression { BBV_PLAIN, BBV_GZIP, BBV_ZSTD };

/* Returns "", ".gz" or ".zst". */
const char *bbv_suffix(enum bbv_compression compression);

struct bbv_file {
	char *name;
	char *target; /* what name means in the end, behind symbolic links */
	char *path;   /* until then */
	enum bbv_compression compression;
	FILE *out;                     /* NULL: closed */
	bool exists;                   /* path, by us */
	struct unfinished *unfinished; /* path, from its first opening on */
};

/* Prepares a file but creates nothing yet. name is copied; the suffix is appended. */
void bbv_file_begin(struct bbv_file *file, const char *name, enum bbv_compression compression);

/* Opens file->out, at the end of what has been written. what: for the message, "bb". Returns 0 or
 * EXIT_FAILED, after a message. */
int bbv_file_open(struct bbv_file *file, const char *what);

/* Closes file->out, if it is open. Returns 0 or EXIT_FAILED, after a message. */
int bbv_file_close(struct bbv_file *file);

/* Gives a closed file its name. Returns 0 or EXIT_FAILED, after a message. */
int bbv_file_finish(struct bbv_file *file);

/* Closes and frees the file; an unfinished one is removed. */
void bbv_file_free(struct bbv_file *file);

#endif
