/* SPDX-License-Identifier: MIT */
/*
 * Finds analyzers: executables trace-NAME next to this program and in PATH.
 *
 * Folders such as /usr/bin hold foreign programs called trace-*, trace-cmd for one. An analyzer
 * is recognized without being run: its file mentions libtraceformat or libanalyzer, as
 * every program linked with these libraries does. Nothing else is ever executed.
 */
#ifndef ANALYZERS_H
#define ANALYZERS_H

#include <stdbool.h>
#include <stddef.h>

#include "traceformat/common/array.h"

struct found_analyzer {
	char *name, *path;
	char *summary; /* a line; NULL unless asked for */
};

struct found_analyzers {
	ARRAY(struct found_analyzer);
};

/* Returns whether a name belongs to a command that is not an analyzer, such as "record". */
bool is_command_name(const char *name);

/* Finds all analyzers, sorted by name; if two have one name, the first one in the search order. */
struct found_analyzers find_analyzers(void);

/* Asks each for its summary, and drops those that do not answer. */
void ask_analyzers(struct found_analyzers *analyzers);

void free_analyzers(struct found_analyzers *analyzers);

#endif
