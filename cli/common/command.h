/* SPDX-License-Identifier: MIT */
/*
 * What every command does alike: messages, exit codes, numbers on the command line, --version,
 * progress. Commands and analyzers only; libraries never use this.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,	/* failure, or damage found */
	EXIT_USAGE = 2,
	EXIT_UNSUITABLE = 3,	/* the trace lacks what the analyzer needs */
	EXIT_NOT_RECORDED = 125,	/* trace-record: recording failed */
};

/* Sets the name that messages and --version print. */
void command_init(const char *name);

/* Prints "NAME: error: ..." / "NAME: warning: ..." / "NAME: ..." and a newline to stderr. */
void command_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the error and "Try 'NAME --help'." to stderr; returns EXIT_USAGE. */
int command_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* After getopt_long has complained: prints "Try 'NAME --help'."; returns EXIT_USAGE. */
int command_bad_option(void);

/* Ends the process with a message and EXIT_FAILED. */
void command_out_of_memory(void) __attribute__((noreturn));

/* Prints the version of the command, the format and the libraries to stdout. */
void command_version(void);

/*
 * Parses a count: decimal digits, then optionally k, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti
 * (powers of 1024). Returns false on anything else, on overflow, and on an empty string.
 */
bool parse_count(const char *text, uint64_t *value);

/* Parses seconds: a positive decimal number with an optional fraction. */
bool parse_seconds(const char *text, double *value);

/* Writes value with thousands separators to text, and returns text. */
enum { COUNT_SIZE = 20 + 6 + 1 };
const char *format_count(uint64_t value, char text[COUNT_SIZE]);

/* Flushes stdout; returns EXIT_DONE, or EXIT_FAILED with a message if anything written was lost. */
int command_close_stdout(void);

/*
 * A progress line on stderr: only if stderr is a terminal and it is not quiet, at most 5 times a
 * second. total 0: not known.
 */
struct progress {
	const char *label;
	uint64_t total;
	bool active;
	uint64_t last_ns;
};
void progress_begin(struct progress *progress, const char *label, uint64_t total, bool quiet);
void progress_update(struct progress *progress, uint64_t done);
/* Erases the line. */
void progress_end(struct progress *progress);

#endif
