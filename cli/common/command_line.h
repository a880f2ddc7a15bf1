/* SPDX-License-Identifier: MIT */
/* The command line and the --help of a command, from its table of options (traceoption.h). */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <getopt.h>
#include <stdbool.h>

#include "cli/common/traceoption.h"
#include "traceformat/common/array.h"

struct command {
	const char *name;
	const char *usage;   /* the words behind the name; a line for each form of the command */
	const char *summary; /* one line or several */
	const struct command_option *options;
	const struct command_option *more_options; /* only the manual has them; NULL: none */
	const char *notes;         /* lines for --help, behind the options; NULL: none */
	const char *example;       /* a command line */
	const char *if_unknown;    /* the end of the message on an unknown option, or NULL */
	bool operand_ends_options; /* words behind the first operand are not options */
	bool one_dash;             /* one dash is enough for a long option */
};

/* The rows that all commands have, at the end of a table. */
#define COMMAND_OPTIONS                                                       \
	{ "help", 'h', NULL, "show this help", option_help, 0 },              \
		{ "version", 'V', NULL, "show versions", option_version, 0 }, \
	{                                                                     \
		NULL, 0, NULL, NULL, NULL, 0                                  \
	}

/* A parser that has done the work of the command returns this reason; the command then ends. */
extern const char option_ends[];

const char *option_help(const struct command_option *, void *destination, const char *text);
const char *option_version(const struct command_option *, void *destination, const char *text);

/*
 * Parses the options. values: where the offsets of the options begin. Returns OPTION_DONE to go on
 * with the operands, from argv[optind] on; otherwise the exit code to end with, after --help,
 * --version or a message.
 */
enum { OPTION_DONE = -1 };
int command_parse(const struct command *, void *values, int argc, char **argv);

/* Sets *trace to the only operand once all options are parsed. Returns as command_parse. */
int only_trace(int argc, char **argv, const char **trace);

/*
 * Sets *traces to the operands, and *count to their number, at least 1. Returns as command_parse.
 */
int all_traces(int argc, char **argv, const char *const **traces, size_t *count);

/* ---- for commands whose options are in several tables -------------------------------------- */

enum { MAX_OPTIONS = 96 };

struct option_list {
	struct listed_option {
		const struct command_option *option;
		void *values;
		bool hidden;                /* in the manual, not in --help */
		struct given_values *given; /* receives the values as typed; NULL: nobody asks */
	} items[MAX_OPTIONS];
	size_t count;
};

/* The values of an option, "" if it takes none, in the order in which they were typed. */
struct given_values {
	ARRAY(const char *);
};

/* Adds an option. values: where its offset begins. */
void option_list_add(struct option_list *, const struct command_option *, void *values,
		     bool hidden);

/* Parses the options of a list, as command_parse does; the tables of the command are not used. */
int command_parse_list(const struct command *, const struct option_list *, int argc, char **argv);

#endif
