/* SPDX-License-Identifier: MIT */
/*
 * Writes threads of a trace in another tool's format, and what the format has no room for beside
 * it.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "cli/common/tracereport.h"
#include "cli/export/exporter.h"

struct export_request {
	const char *trace, *out;
	const struct exporter *format;
	struct export_options options;
	uint64_t thread; /* index, or UINT64_MAX: each thread, in a file of its own */
	uint64_t first, count;
	bool force, quiet;
	enum report_format report;
};

/*
 * Writes the files, and a note OUT.json beside each; prints a summary to stdout. Returns an exit
 * code, after a message if something failed.
 */
int export_trace(const struct export_request *request);

#endif
