/* SPDX-License-Identifier: MIT */
/* The trace that a command makes from another one. */
#ifndef OUTPUT_TRACE_H
#define OUTPUT_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/common/traceoption.h"

/* The parser of --mode=MODE, a trace's permissions in octal as for chmod. Destination: mode_t. */
const char *option_trace_mode(const struct command_option *, void *destination, const char *text);

/* Gives the file its mode, if it is a regular one of that name. EXIT_DONE, or EXIT_FAILED after a
 * message. */
int set_trace_mode(const char *path, mode_t mode);

/* Checks that writing to `to` harms nothing. EXIT_DONE, or EXIT_FAILED with a message given. */
int check_output_trace(const char *from, const char *to, bool force);

#endif
