/* SPDX-License-Identifier: MIT */
/*
 * Messages, exit codes and --version of all commands and analyzers. Libraries never use this file.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1, /* failure, or damage found */
	EXIT_USAGE = 2,
	EXIT_UNSUITABLE = 3,     /* the trace lacks what the analyzer needs */
	EXIT_MISSED = 4,         /* a slice is missing, or differs from that of the first run */
	EXIT_NOT_RECORDED = 125, /* trace-record: recording failed */
};

/* Sets the name that messages and --version print. Call it first. */
void command_init(const char *name);

/* Prints "NAME: error: ..." / "NAME: warning: ..." / "NAME: ..." and a newline to stderr. */
void command_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "NAME: ", severity and the text, as the functions above. */
void command_message(const char *severity, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Returns the name of a file for a message, in which an empty name would be invisible. */
static inline const char *shown_name(const char *name)
{
	return *name ? name : "''";
}

/* Returns whether the name means standard input or output. */
static inline bool is_standard_stream(const char *path)
{
	return !strcmp(path, "-");
}

/* Prints the error and "Try 'NAME --help'." to stderr; returns EXIT_USAGE. */
int command_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the version of the command, the format and the libraries to stdout. */
void command_version(void);

/* Flushes stdout; returns EXIT_DONE, or EXIT_FAILED with a message if anything written was lost. */
int command_close_stdout(void);

#endif
