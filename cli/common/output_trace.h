/* SPDX-License-Identifier: MIT */
/* A trace as the result of a command. */
#ifndef OUTPUT_TRACE_H
#define OUTPUT_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/common/traceoption.h"

/* The parser of --mode=MODE, a trace's permissions in octal as for chmod. Destination: mode_t. */
const char *option_trace_mode(const struct command_option *, void *destination, const char *text);

/* Sets the permissions of a regular file. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int set_trace_mode(const char *path, mode_t mode);

/*
 * Checks that writing a trace to `to` destroys neither `from` nor, without force, an existing file,
 * and does not go to a terminal. Returns EXIT_DONE, or EXIT_FAILED after a message.
 */
int check_output_trace(const char *from, const char *to, bool force);

/*
 * Ends a command whose result is the trace at `path`: sets its permissions if status is EXIT_DONE,
 * and closes standard output. Returns the exit code.
 */
int end_output_trace(const char *path, mode_t mode, int status);

#endif
