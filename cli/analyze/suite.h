/* SPDX-License-Identifier: MIT */
/* Runs analyzers on many traces, and makes one table of their results. */
#ifndef SUITE_H
#define SUITE_H

#include "cli/analyze/analyzers.h"
#include "cli/analyze/suite_jobs.h"
#include "cli/common/tracereport.h"

struct suite_request {
	const char *list;          /* suite_list.h */
	const char *directory;     /* of the suite; created if it does not exist */
	const char *only;          /* names of analyzers; NULL: all */
	bool collect;              /* run nothing, and make the table of what there is */
	enum report_format format; /* of the summary */
	struct run_limits limits;
};

/*
 * Runs the jobs of a suite that are not over yet, writes suite.csv, suite.json and suite.html, and
 * a summary to stdout, with the jobs that failed. Returns EXIT_DONE if all jobs did what they can,
 * else an exit code after messages or that summary.
 */
int run_suite(const struct suite_request *request, struct found_analyzers *analyzers);

#endif
