/* SPDX-License-Identifier: MIT */
/* The results of a suite: one table of metrics, the statistics of it, and a page of both. */
#ifndef SUITE_RESULT_H
#define SUITE_RESULT_H

#include "cli/analyze/suite_jobs.h"

/*
 * Writes suite.csv, suite.json and suite.html into the folder of the suite, from the results of
 * jobs, whose records have been read. Returns EXIT_DONE, or EXIT_FAILED after a message.
 */
int save_suite_result(const struct suite_jobs *jobs, const struct suite_traces *traces);

#endif
