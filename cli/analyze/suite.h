/* SPDX-License-Identifier: MIT */
/* Runs analyzers on many traces, here or on a cluster, and makes one table of their results. */
#ifndef SUITE_H
#define SUITE_H

#include "cli/analyze/analyzers.h"
#include "cli/analyze/suite_submit.h"
#include "cli/common/tracereport.h"

struct suite_request {
	const char *list;      /* suite_list.h */
	const char *directory; /* of the suite; created if it does not exist */
	const char *task;      /* the only task to be run (task_name()); NULL: all */
	bool collect;          /* run nothing, and make the table of what there is */
	struct submission submit;
	enum report_format format; /* of the summary */
	struct run_limits limits;
};

/*
 * Runs the jobs of a suite that are not over yet, writes suite.csv, suite.json and suite.html, and
 * a summary to stdout, with the jobs that failed. Returns EXIT_DONE if all jobs did what they can,
 * else an exit code after messages or that summary.
 */
int run_suite(const struct suite_request *request, const struct found_analyzers *analyzers);

/* Runs request->task. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int run_suite_task(const struct suite_request *request, const struct found_analyzers *analyzers);

#endif
