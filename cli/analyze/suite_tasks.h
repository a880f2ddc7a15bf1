/* SPDX-License-Identifier: MIT */
/*
 * The tasks of a suite: command lines that can run at the same time. A job is one task; or, with a
 * long trace and an analyzer whose states can be merged, a task for each part of the trace and one
 * that merges the partial results. Tasks of a stage need all of the stages before.
 */
#ifndef SUITE_TASKS_H
#define SUITE_TASKS_H

#include "cli/analyze/suite_jobs.h"

enum task_kind { TASK_WHOLE, TASK_PART, TASK_MERGE, TASK_PAGE };

enum stage { STAGE_MAP, STAGE_MERGE, STAGE_PAGES, N_STAGES };
extern const char *const stage_words[N_STAGES];

struct suite_task {
	struct suite_job *job;
	enum task_kind kind;
	unsigned part, parts; /* TASK_PART: which of them; TASK_MERGE: of how many */
};

struct suite_tasks {
	ARRAY(struct suite_task);
};

/* No trace is cut into more parts. */
enum { MOST_PARTS = 9999 };

/*
 * Adds the tasks of a stage for jobs that are not over. Traces of more than part_size instructions
 * are analyzed in parts of about that length; 0: no trace is. Parts whose results exist are left
 * out.
 */
void list_tasks(const struct suite_jobs *jobs, enum stage stage, uint64_t part_size,
		struct suite_tasks *tasks);

/*
 * Returns the name of a task: TRACE/ANALYZER, TRACE/ANALYZER:PART/PARTS or
 * TRACE/ANALYZER:merge/PARTS. Free it.
 */
char *task_name(const struct suite_task *task);

/*
 * Finds the task of a name. Returns EXIT_DONE, or EXIT_FAILED after a message if there is none. The
 * names of the traces must be those of the jobs.
 */
int parse_task(const struct suite_jobs *jobs, const char *name, struct suite_task *task);

/* Returns the words of a task's command line, which runs in the trace's folder, and NULL. */
char **task_words(const struct suite_jobs *jobs, const struct suite_task *task);
void free_task_words(char *const *words);

/* Returns the path of a part's partial result: DIR/NAME/ANALYZER.PARTofPARTS.part. Free it. */
char *part_file(const struct suite_jobs *jobs, const struct suite_task *task, unsigned part);

/* Returns true if a part's result exists and is not older than the trace. */
bool has_part(const struct suite_jobs *jobs, const struct suite_task *task, unsigned part);

/* Returns true if a task merges parts of which some do not exist. */
bool lacks_parts(const struct suite_jobs *jobs, const struct suite_task *task);

struct run_limits {
	unsigned at_once; /* tasks at a time; 0 stands for the number of cores */
	bool quiet;       /* no progress */
};

/*
 * Runs tasks at the same time, but those that lack parts. Returns EXIT_DONE, also if tasks failed,
 * or EXIT_FAILED after a message if they could not be run or recorded.
 */
int run_tasks(const struct suite_jobs *jobs, struct suite_tasks *tasks, const char *label,
	      const struct run_limits *limits);

/* Runs the tasks of all jobs that are not over, stage by stage. Returns as run_tasks(). */
int run_suite_jobs(const struct suite_jobs *jobs, uint64_t part_size,
		   const struct run_limits *limits);

#endif
