/* SPDX-License-Identifier: MIT */
/* The output of trace-dump: instructions, block executions and events, each in three formats. */
#ifndef DUMP_H
#define DUMP_H

#include "cli/dump/options.h"

/*
 * Prints the part that the options select to stdout. Damaged chunks are reported and skipped.
 * Returns an exit code, or -1 with *error.
 */
int dump_trace(struct tf_reader *reader, const char *path, struct dump_options *options,
	       struct tf_error *error);

#endif
