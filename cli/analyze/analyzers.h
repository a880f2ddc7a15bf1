/* SPDX-License-Identifier: MIT */
/*
 * The analyzers that there are: executables trace-NAME beside this program and in PATH.
 *
 * Folders such as /usr/bin hold foreign programs called trace-*, trace-cmd for one. An analyzer
 * is told from them without being run: its file mentions libtraceformat or libanalyzer, as
 * every program linked with these libraries does. Nothing else is ever executed.
 */
#ifndef ANALYZERS_H
#define ANALYZERS_H

#include <stdbool.h>
#include <stddef.h>

struct found_analyzer {
	char *name, *path;
	char *summary; /* a line; NULL unless asked for */
};

struct found_analyzers {
	struct found_analyzer *items;
	size_t count;
};

/* Whether a name is that of a command that is no analyzer: "record". */
bool is_command_name(const char *name);

/* Finds all analyzers, by name; of two with one name the one found first. */
struct found_analyzers find_analyzers(void);

/* Asks each for its summary, and drops those that do not answer. */
void ask_analyzers(struct found_analyzers *analyzers);

void free_analyzers(struct found_analyzers *analyzers);

#endif
