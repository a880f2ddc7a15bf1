/* SPDX-License-Identifier: MIT */
/*
 * The jobs of a suite: each analyzer on each trace, and a page for each trace. A job writes
 * ANALYZER.json and ANALYZER.txt into the trace's folder, DIR/NAME, and then ANALYZER.job, a record
 * of how the job ended and of which trace. Only jobs without a record that fits run again.
 */
#ifndef SUITE_JOBS_H
#define SUITE_JOBS_H

#include "cli/analyze/analyzers.h"
#include "cli/analyze/suite_list.h"

/* The job that makes a trace's page, in the place of an analyzer. */
#define PAGE_JOB "report"

enum outcome {
	OUTCOME_MISSING, /* it has not run, or not with this trace and this version */
	OUTCOME_DONE,
	OUTCOME_SKIPPED,    /* the trace lacks what the analyzer needs */
	OUTCOME_INCOMPLETE, /* the trace is damaged: the result is that of a part */
	OUTCOME_FAILED,
	N_OUTCOMES
};

extern const char *const outcome_words[N_OUTCOMES];

struct suite_job {
	const struct suite_trace *trace;
	const char *name;    /* of the analyzer */
	const char *command; /* its path */
	enum outcome outcome;
	bool kept;     /* from an earlier run */
	char *message; /* NULL: none */
};

struct suite_jobs {
	/* clang-format off */
	ARRAY(struct suite_job);
	/* clang-format on */
	const char *directory; /* of the suite */
};

/*
 * Lists the jobs, trace by trace, the page last. only: names of analyzers with commas between
 * them, or NULL for all. Returns EXIT_DONE, or EXIT_USAGE after a message if there is no analyzer
 * of a name.
 */
int list_suite_jobs(struct suite_jobs *jobs, const struct suite_traces *traces,
		    const struct found_analyzers *analyzers, const char *only);

/* Reads the records of all jobs. Traces must have been checked. */
void read_job_records(struct suite_jobs *jobs);

/* Returns true if a job has nothing left to do: it is done, skipped, or as complete as can be. */
bool job_is_over(const struct suite_job *job);

/* Makes the folders of the suite and of its traces. Returns false after a message. */
bool make_suite_folders(const struct suite_jobs *jobs);

/* Writes the record of a job. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int save_job_record(const struct suite_jobs *jobs, const struct suite_job *job);

/* Returns true if the job's result exists. */
bool job_has_result(const struct suite_jobs *jobs, const struct suite_job *job);

/* Returns the path of a file of a job: DIR/NAME/ANALYZER.SUFFIX. Free it. */
char *job_file(const struct suite_jobs *jobs, const struct suite_job *job, const char *suffix);

void free_suite_jobs(struct suite_jobs *jobs);

#endif
