/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/analyze/suite_tasks.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"

/* ---- folders and old files ----------------------------------------------------------------- */

/* Returns true if the folder exists afterwards. */
static bool make_folder(const char *path)
{
	struct stat status;

	if (mkdir(path, 0777) == 0 ||
	    (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
		return true;
	command_error("cannot make %s: %m", path);
	return false;
}

bool make_suite_folders(const struct suite_jobs *jobs)
{
	const struct suite_trace *last = NULL;
	bool good = make_folder(jobs->directory);

	for (size_t i = 0; i < jobs->count && good; i++) {
		char *folder;

		if (jobs->at[i].trace == last)
			continue;
		last = jobs->at[i].trace;
		folder = text_format("%s/%s", jobs->directory, last->name);
		good = make_folder(folder);
		free(folder);
	}
	return good;
}

static void remove_file(char *path)
{
	unlink(path);
	free(path);
}

/* Removes an old result, which must not look like one of this run. */
static void remove_old(const struct suite_jobs *jobs, const struct suite_task *task)
{
	const struct suite_job *job = task->job;

	if (task->kind == TASK_PART) {
		remove_file(part_file(jobs, task, task->part));
		return;
	}
	remove_file(job_file(jobs, job, "job"));
	remove_file(job_file(jobs, job, "json"));
	remove_file(job_file(jobs, job, "txt"));
	if (task->kind == TASK_PAGE)
		remove_file(job_file(jobs, job, "html"));
}

static void remove_parts(const struct suite_jobs *jobs, const struct suite_task *task)
{
	for (unsigned part = 0; part < task->parts; part++)
		remove_file(part_file(jobs, task, part));
}

/* ---- one task ------------------------------------------------------------------------------ */

struct run {
	const struct suite_jobs *jobs;
	const struct suite_task *task;
	char *folder;
	int status; /* EXIT_FAILED if its record could not be saved */
};

static enum outcome outcome_of(const struct run *run, const struct job *job)
{
	if (job_ended_with(job, EXIT_DONE))
		return OUTCOME_DONE;
	if (job_ended_with(job, EXIT_UNSUITABLE))
		return OUTCOME_SKIPPED;
	return job_ended_with(job, EXIT_FAILED) && job_has_result(run->jobs, run->task->job)
		       ? OUTCOME_INCOMPLETE
		       : OUTCOME_FAILED;
}

static char *message_of(const struct job *job)
{
	char *message = job_first_message(job);

	if (!message && WIFSIGNALED(job->status))
		message = text_format("ended by signal %d (%s)", WTERMSIG(job->status),
				      strsignal(WTERMSIG(job->status)));
	return message;
}

/*
 * A part that has a result says no more of the job, even if the trace is damaged: the merged result
 * says so.
 */
static bool is_part_done(const struct run *run)
{
	return run->task->kind == TASK_PART && has_part(run->jobs, run->task, run->task->part);
}

static void end_task(struct job *job)
{
	struct run *run = job->owner;
	struct suite_job *suite_job = run->task->job;

	if (!is_part_done(run)) {
		suite_job->outcome = outcome_of(run, job);
		suite_job->kept = false;
		free(suite_job->message);
		suite_job->message = message_of(job);
		run->status = save_job_record(run->jobs, suite_job);
	}
	if (run->task->kind == TASK_MERGE && job_is_over(suite_job))
		remove_parts(run->jobs, run->task);
	job_close(job);
}

bool lacks_parts(const struct suite_jobs *jobs, const struct suite_task *task)
{
	for (unsigned part = 0; task->kind == TASK_MERGE && part < task->parts; part++)
		if (!has_part(jobs, task, part))
			return true;
	return false;
}

/* ---- all tasks ----------------------------------------------------------------------------- */

static void prepare(struct run *run, struct job *job, const struct suite_jobs *jobs,
		    const struct suite_task *task)
{
	remove_old(jobs, task);
	*run = (struct run){
		.jobs = jobs,
		.task = task,
		.folder = text_format("%s/%s", jobs->directory, task->job->trace->name),
	};
	*job = (struct job){
		.arguments = task_words(jobs, task),
		.directory = run->folder,
		.ended = end_task,
		.owner = run,
	};
}

int run_tasks(const struct suite_jobs *jobs, struct suite_tasks *tasks, const char *label,
	      const struct run_limits *limits)
{
	struct run *runs = checked_array(tasks->count, sizeof(*runs));
	struct job *all = checked_array(tasks->count, sizeof(*all));
	size_t count = 0;
	int status = EXIT_DONE;

	for (size_t i = 0; i < tasks->count; i++)
		if (!lacks_parts(jobs, &tasks->at[i])) {
			prepare(&runs[count], &all[count], jobs, &tasks->at[i]);
			count++;
		}
	if (count)
		status = run_jobs(all, count, limits->at_once, label, limits->quiet);
	for (size_t i = 0; i < count; i++) {
		if (runs[i].status)
			status = EXIT_FAILED;
		job_close(&all[i]);
		free_task_words(all[i].arguments);
		free(runs[i].folder);
	}
	free(runs);
	free(all);
	return status;
}

int run_suite_jobs(const struct suite_jobs *jobs, uint64_t part_size,
		   const struct run_limits *limits)
{
	static const char *const labels[N_STAGES] = { "analyzing", "merging", "writing pages" };
	int status = EXIT_DONE;

	for (unsigned stage = 0; stage < N_STAGES && !status; stage++) {
		struct suite_tasks tasks = { 0 };

		list_tasks(jobs, (enum stage)stage, part_size, &tasks);
		status = run_tasks(jobs, &tasks, labels[stage], limits);
		free(tasks.at);
	}
	return status;
}
