/* SPDX-License-Identifier: MIT */
/* Prevents a command from writing its result over the trace that it reads. */
#ifndef OVERWRITE_H
#define OVERWRITE_H

#include <stdbool.h>

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

#endif
