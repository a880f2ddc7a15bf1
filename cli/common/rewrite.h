/* SPDX-License-Identifier: MIT */
/* Common code of trace-repack and trace-repair, which make one trace from another. */
#ifndef REWRITE_H
#define REWRITE_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/tracereport.h"

struct rewrite_options {
	const char *from, *to; /* either may be "-", a standard stream */
	bool force, quiet;
	mode_t mode;   /* of the trace to make */
	uint64_t jobs; /* trace-repack's; 0: not given */
	enum report_format format;
};

#define REWRITE_AT(member) offsetof(struct rewrite_options, member)

/* The options of both, for a table that ends with COMMAND_OPTIONS. */
/* clang-format off */
#define REWRITE_OPTIONS                                                                        \
	{ "output", 'o', "OUT", "the trace to make", option_text, REWRITE_AT(to) },             \
	{ "force", 0, NULL, "replace OUT if it exists", option_flag, REWRITE_AT(force) },       \
	{ "mode", 0, "MODE", "permissions of OUT, octal (default 0600)",                       \
	  option_trace_mode, REWRITE_AT(mode) },                                                \
	{ "format", 0, "FMT", "of the summary: text (default), json or csv", option_format,     \
	  REWRITE_AT(format) },                                                                 \
	{ "quiet", 'q', NULL, "print neither summary nor progress", option_flag, REWRITE_AT(quiet) }
/* clang-format on */

/* Returns the file name of the trace to make. */
const char *rewrite_path(const struct rewrite_options *options);

/* Begins the summary, on standard error if the trace goes to standard output. */
struct report *rewrite_report_begin(const struct rewrite_options *options);

/*
 * The command's main: reads the options, checks that `to` may be written, and calls rewrite, which
 * returns an exit code. Returns the exit code.
 */
int rewrite_main(const struct command *command, int argc, char **argv,
		 int (*rewrite)(const struct rewrite_options *options));

#endif
