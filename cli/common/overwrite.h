/* SPDX-License-Identifier: MIT */
/* A command must never write its result over the trace that it reads. */
#ifndef OVERWRITE_H
#define OVERWRITE_H

#include <stdbool.h>

/*
 * Whether writing to out would destroy trace, under whatever names; if so, a message has said it.
 * A trace of "-" is standard input.
 */
bool would_overwrite(const char *out, const char *trace);

/*
 * Names a file that the command reads ("-": standard input). No result can then replace it. Called
 * before threads start, at most OVERWRITE_INPUTS times; the path must last.
 */
enum { OVERWRITE_INPUTS = 4 };
void protect_input(const char *path);

/* Returns whether writing to out would destroy one of these files; if so, a message has said it. */
bool would_overwrite_input(const char *out);

/* Whether out is a symbolic link to nothing, through which a new file elsewhere would be made; if
 * so, a message has said it. */
bool is_dangling(const char *out);

#endif
