/* SPDX-License-Identifier: MIT */
/* Runs a command of ours as one step of trace-sample. */
#ifndef STEP_H
#define STEP_H

#include <stdbool.h>

/*
 * Runs the command of that name, which lies beside this one or in PATH, with arguments (ended by
 * NULL, words[0] is replaced by the path). Its standard output goes to the file `output`. Prints
 * the command line first, unless quiet, so that a user can repeat the step. Returns its exit
 * status, 128 + n if signal n ended it, or -1 after a message if it cannot be run.
 */
int step_run(const char *command, char **words, const char *output, bool quiet);

#endif
