/* SPDX-License-Identifier: MIT */
/* Common code of trace-repack and trace-repair, which make one trace from another. */
#ifndef REWRITE_H
#define REWRITE_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/common/command_line.h"
#include "cli/common/tracereport.h"

struct rewrite_options {
	const char *from, *to; /* either may be "-", a standard stream */
	bool force, quiet;
	mode_t mode; /* of the trace to make */
	enum report_format format;
};

extern const struct command_option rewrite_option_table[];

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
