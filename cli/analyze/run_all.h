/* SPDX-License-Identifier: MIT */
/* Runs all analyzers on one trace, several at a time. */
#ifndef RUN_ALL_H
#define RUN_ALL_H

#include "cli/analyze/analyzers.h"
#include "cli/common/tracereport.h"

struct run_all {
	const char *trace;
	const char *directory; /* created if it does not exist */
	unsigned jobs;         /* analyzers at a time; 0: as many as there are cores */
	bool quiet;
	enum report_format format; /* of the summary */
};

/*
 * Runs each analyzer, in `directory`, as "trace-NAME --results=NAME TRACE", which leaves NAME.json
 * and NAME.txt there, and trace-report, which leaves report.html; then writes a summary of how they
 * ended to stdout. Returns EXIT_DONE if all that can analyze this trace did, else an exit code
 * after messages or that summary.
 */
int run_all(const struct run_all *how, const struct found_analyzers *analyzers);

#endif
