/* SPDX-License-Identifier: MIT */
/*
 * Runs the commands of a report's parts. Parts of the same command share a pass over the trace, for
 * which the command has --also. A part that its pass leaves out, or whose pass fails, gets a
 * command of its own afterwards, whose message then says why.
 */
#ifndef REPORT_PASSES_H
#define REPORT_PASSES_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/common/jobs.h"
#include "cli/report/parts.h"

/* A part that is to be computed. */
struct part_task {
	const struct report_part *part;
	char *options; /* of its command, without its machine; a blank before each of them */
	char **words;  /* of a command for this part only */
	bool shares;   /* a pass with other parts of its command */

	/* The results of run_passes; NULL before. */
	json_t *result;  /* NULL: the command has failed */
	struct job *job; /* the command that has computed it, or failed to */
};

struct pass_limits {
	unsigned at_once; /* commands at a time; 0: as many as there are cores */
	bool quiet;
};

/* The commands that have run. */
struct pass_runs {
	struct pass_jobs {
		struct job *at;
		size_t count;
	} rounds[2]; /* with shared passes; of tasks on their own */
};

/*
 * Runs the commands of all tasks. *runs: zeroed; close it in any case, behind the last use of a
 * task's job. Returns 0, or EXIT_FAILED after a message if a command could not be run.
 */
int run_passes(struct part_task *tasks, size_t n_tasks, const struct pass_limits *limits,
	       struct pass_runs *runs);
void close_passes(struct pass_runs *runs);

/* Adds to an object, by analyzer, an array of the options of tasks that share a pass. */
void add_shared_options(const struct part_task *tasks, size_t n_tasks, json_t *object);

#endif
