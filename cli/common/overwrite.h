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

#endif
