/* SPDX-License-Identifier: MIT */
/* The trace that a command makes from another one. */
#ifndef OUTPUT_TRACE_H
#define OUTPUT_TRACE_H

#include <stdbool.h>
#include <string.h>

/* True if the name means standard input or output. */
static inline bool is_standard_stream(const char *path) { return !strcmp(path, "-"); }

/* Checks that writing to `to` harms nothing. EXIT_DONE, or EXIT_FAILED with a message given. */
int check_output_trace(const char *from, const char *to, bool force);

#endif
