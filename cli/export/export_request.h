/* SPDX-License-Identifier: MIT */
/* The part of a trace to export, and how. */
#ifndef EXPORT_REQUEST_H
#define EXPORT_REQUEST_H

#include <sys/types.h>

#include "cli/common/tracereport.h"
#include "cli/export/exporter.h"

struct export_request {
	const char *trace, *out;
	const struct exporter *format;
	struct export_options options;
	uint64_t thread; /* index, or UINT64_MAX: each thread, in a file of its own */
	uint64_t first, count;
	const char *region; /* name, or NULL */
	bool force, quiet;
	mode_t mode; /* of the files */
	enum report_format report;
};

#endif
