/* SPDX-License-Identifier: MIT */
/* Where a result goes: to standard output, the file of --output, or the two files of --results. */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdio.h>

#include "analyzers/common/options.h"

/*
 * Opens the output before the work, so that a wrong name is known at once; the file keeps what it
 * holds until results_write. Returns NULL after a message.
 */
FILE *results_open(const struct settings *settings);

/* Writes the report in place of what the output holds. Returns 0, or EXIT_FAILED
 * after a message. */
int results_write(const struct settings *settings, FILE *out, const struct report *report);

/* Closes the output. Returns 0, or EXIT_FAILED after a message if anything written was lost. */
int results_close(const struct settings *settings, FILE *out);

#endif
