/* SPDX-License-Identifier: MIT */
/* Compares the recorded vectors of two runs of a program, interval by interval. */
#ifndef COMPARE_RUNS_H
#define COMPARE_RUNS_H

#include "analyzers/simpoint/vector_run.h"
#include "cli/common/tracereport.h"

struct run_comparison {
	struct tf_reader *readers[2]; /* with loaded dictionaries */
	const char *paths[2];
	struct vector_run_options options;
	enum report_format format;
};

/*
 * Reports the distance of each pair of intervals with the same number (see row_distance.h; blocks
 * are the same by their identities), where the runs part, and which heads of the first run's loops
 * are executed equally often in both. Returns an exit code, after a message.
 */
int compare_runs(const struct run_comparison *comparison, FILE *out);

#endif
