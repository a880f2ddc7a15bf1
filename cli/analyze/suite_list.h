/* SPDX-License-Identifier: MIT */
/*
 * The traces of a suite: a text file with a trace a line, TRACE or NAME=TRACE. Blank lines, and
 * those that begin with #, mean nothing. A relative path is relative to the folder of the list; in
 * a list from standard input ("-"), to the working folder. A name begins with a letter or a digit,
 * and has letters, digits and the characters . _ + , - of which no slash is one; the default is the
 * file's name without ".trace". A path with '=' before its first slash needs "./" before it.
 */
#ifndef SUITE_LIST_H
#define SUITE_LIST_H

#include <stdint.h>
#include <time.h>

#include "traceformat/common/array.h"

struct suite_trace {
	char *name;     /* unique: also that of the folder for its results */
	char *path;     /* absolute */
	unsigned line;  /* of the list, from 1 */
	char uuid[40];  /* "" until the trace is checked */
	uint64_t bytes; /* of the file */
	uint64_t instructions;
	struct timespec modified; /* the contents */
	struct timespec changed;  /* the contents or the name */
};

struct suite_traces {
	ARRAY(struct suite_trace);
};

/*
 * Reads a list. Returns EXIT_DONE, or EXIT_FAILED after a message for each fault: names that cannot
 * be names, and names that two traces have. Free the traces in both cases.
 */
int read_suite(const char *list, struct suite_traces *traces);

/* Reads what identifies a trace. Returns false after a message if the file is no trace. */
bool check_suite_trace(struct suite_trace *trace);

/*
 * Checks all traces. Returns EXIT_DONE, or EXIT_FAILED after a message for each that cannot be
 * read, and for each that is in the list twice.
 */
int check_suite(struct suite_traces *traces);

/* Writes a list of names and absolute paths. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int save_suite(const struct suite_traces *traces, const char *path);

void free_suite(struct suite_traces *traces);

#endif
