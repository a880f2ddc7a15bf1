/* SPDX-License-Identifier: MIT */
/* What trace-dump prints: instructions, block executions and events, each in three formats. */
#ifndef DUMP_H
#define DUMP_H

#include "cli/dump/options.h"

/*
 * Prints the part that the options tell to stdout. Damaged chunks are reported and skipped.
 * Returns an exit code, or -1 with *error.
 */
int dump_trace(struct tf_reader *reader, const char *path, const struct dump_options *options,
	       struct tf_error *error);

#endif
