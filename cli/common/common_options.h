/* SPDX-License-Identifier: MIT */
/* The options that the commands have in common, for getopt_long. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <getopt.h>

#include "cli/common/tracereport.h"

enum { OPTION_FORMAT = 0x10000 };

/* The ends of a table of long options, without and with --format=text|json|csv; and of the letters
 * of options. */
#define COMMON_OPTIONS                                                             \
	{ "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' }, \
	{                                                                          \
		NULL, 0, NULL, 0                                                   \
	}
#define REPORT_OPTIONS { "format", required_argument, NULL, OPTION_FORMAT }, COMMON_OPTIONS
#define COMMON_LETTERS "hV"

/*
 * As getopt_long, but for the message of an option that it refuses, which is '?'; and an empty
 * value is none.
 */
int next_option(int argc, char **argv, const char *letters, const struct option *table);

/* Reports the fault of the option that getopt_long, with opterr 0, has refused. */
void tell_refused_option(char **argv, const char *letters);

/*
 * Does what the last option of next_option asks for, if it is one of these; format may be NULL
 * without REPORT_OPTIONS. Any other is one that it has refused. Returns OPTION_DONE to go on, else
 * the exit code to end with, after all messages.
 */
enum { OPTION_DONE = -1 };
int common_option(int option, const char *help, enum report_format *format);

/* Sets *trace to the only operand, once all options are read. Returns as common_option. */
int only_trace(int argc, char **argv, const char **trace);

#endif
