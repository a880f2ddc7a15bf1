/* SPDX-License-Identifier: MIT */
/* The options that the commands have in common, for getopt_long. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <getopt.h>

#include "cli/common/report.h"

enum { OPTION_FORMAT = 0x10000, OPTION_VERSION };

/* The ends of a table of long options, without and with --format=text|json|csv. */
#define COMMON_OPTIONS \
	{ "help", no_argument, NULL, 'h' }, \
	{ "version", no_argument, NULL, OPTION_VERSION }, \
	{ NULL, 0, NULL, 0 }
#define REPORT_OPTIONS \
	{ "format", required_argument, NULL, OPTION_FORMAT }, COMMON_OPTIONS

/*
 * Does what the last option of getopt_long asks for, if it is one of these; format may be NULL
 * without REPORT_OPTIONS. Any other is an unknown one. Returns OPTION_DONE to go on, else the exit
 * code to end with, after everything has been said.
 */
enum { OPTION_DONE = -1 };
int common_option(int option, const char *help, enum report_format *format);

/* Of a command of one trace, when getopt_long is done: sets *trace. Returns as common_option. */
int only_trace(int argc, char **argv, const char **trace);

#endif
