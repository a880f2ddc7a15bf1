/* SPDX-License-Identifier: MIT */
/*
 * Tasks of a suite for other engines. A command line of a task is "trace-analyze --all --suite=...
 * --task=NAME" with absolute paths, so that it can run in any folder, on any machine that has the
 * same files.
 */
#ifndef SUITE_SUBMIT_H
#define SUITE_SUBMIT_H

#include "cli/analyze/suite_tasks.h"

enum submit_kind { SUBMIT_NOTHING, SUBMIT_COMMANDS, SUBMIT_SLURM };

struct submission {
	unsigned kind;      /* enum submit_kind */
	bool dry_run;       /* SUBMIT_SLURM: print the script, and submit nothing */
	const char *only;   /* names of analyzers; NULL: all */
	uint64_t part_size; /* see list_tasks() */
};

/*
 * Prints a line for each task of the first stage that has any: a command for a shell. Returns an
 * exit code.
 */
int print_commands(const struct submission *submission, const struct suite_jobs *jobs);

/*
 * Writes the command lines of all stages, and a script that submits them to Slurm as arrays of
 * jobs, into a new folder DIR/suite.slurm.N, and runs the script. A stage depends on the ones
 * before; the last job makes the tables. With submission->dry_run the script is printed, and
 * nothing is written. Returns EXIT_DONE, or EXIT_FAILED after a message.
 */
int submit_to_slurm(const struct submission *submission, const struct suite_jobs *jobs);

#endif
