/* SPDX-License-Identifier: MIT */
/*
 * The metrics of a suite's traces, from the analyzers' results. The characteristics are the 69 that
 * MICA has for a whole program: they depend on the program, its input and the compiler, and not on
 * a machine (Hoste, Eeckhout: Microarchitecture-independent workload characterization, IEEE Micro
 * 27, 2007). Other metrics are in the table, but not in statistics.
 */
#ifndef SUITE_METRICS_H
#define SUITE_METRICS_H

#include "cli/analyze/suite_jobs.h"

struct suite_metric {
	const char *analyzer, *fact; /* its name is ANALYZER_FACT */
	const char *divisor;         /* another fact of the analyzer; NULL: 1 */
	double factor;
	const char *unit;
	bool characteristic;
};

extern const struct suite_metric suite_metrics[];
extern const size_t n_suite_metrics;

/* Returns the name of a metric, such as "ppm_gag_12". Free it. */
char *metric_name(const struct suite_metric *metric);

/*
 * Reads the metrics of all traces: n_suite_metrics for each trace, NaN for those that the results
 * do not have. Results of jobs that are not over are not read. Free them.
 */
double *read_suite_metrics(const struct suite_jobs *jobs, const struct suite_traces *traces);

#endif
