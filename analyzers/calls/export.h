/* SPDX-License-Identifier: MIT */
/* Call profiles in the formats of their viewers. */
#ifndef CALLS_EXPORT_H
#define CALLS_EXPORT_H

#include "analyzers/calls/paths.h"
#include "analyzers/common/lines.h"
#include "cli/common/tracereport.h"

#define CALL_EXPORT_FORMATS "callgrind|folded|speedscope|pprof|firefox"

/* Returns the detail that a profile needs. format: the place in CALL_EXPORT_FORMATS, from 0. */
enum call_detail call_export_detail(unsigned format);

/* Returns whether a format needs the costs of the profile's nodes, beside those of paths. */
bool call_export_keeps_nodes(unsigned format);

/* Makes a profile the contents of a report. Ends the process if memory is out. */
void call_export(const struct call_paths *paths, unsigned format, struct report *report);

/* The writers of the formats. */
void call_write_callgrind(FILE *out, const struct call_paths *paths);
void call_write_folded(FILE *out, const struct call_paths *paths);
void call_write_speedscope(FILE *out, const struct call_paths *paths);
void call_write_pprof(FILE *out, const struct call_paths *paths);
void call_write_firefox(FILE *out, const struct call_paths *paths);

/* ---- for the writers --------------------------------------------------------------------- */

/* The command that was recorded, or "". */
const char *call_command(const struct call_paths *paths);

/* Returns the name of a source file, with the compiler's folder before a relative name. Free it. */
char *call_source_file(const struct source_line *line);

/*
 * Returns the name of a function with "?" for control characters, and with `other` for the
 * character `separator`. Free it.
 */
char *call_plain_name(const struct call_paths *paths, uint32_t function, char separator,
		      char other);

#endif
