/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/analyze/suite_jobs.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"

/* ---- command lines ------------------------------------------------------------------------- */

enum { MOST_WORDS = 12 };

struct words {
	char *at[MOST_WORDS];
	size_t count;
};

static void add_word(struct words *words, char *word)
{
	words->at[words->count++] = word;
}

static void add_page_words(struct words *words)
{
	add_word(words, command_beside_this("trace-report"));
	add_word(words, checked_copy("--quiet"));
	add_word(words, checked_copy("--force"));
	add_word(words, checked_copy("--jobs=1"));
	add_word(words, checked_copy("--reuse=."));
	add_word(words, checked_copy("--output=" PAGE_JOB ".html"));
}

/* Returns the words of a job's command line, which runs in the trace's folder. */
static char **words_of(const struct suite_job *job)
{
	struct words words = { 0 };
	char **all;

	if (!strcmp(job->name, PAGE_JOB)) {
		add_page_words(&words);
	} else {
		add_word(&words, checked_copy(job->command));
		add_word(&words, checked_copy("--quiet"));
		add_word(&words, text_format("--results=%s", job->name));
	}
	add_word(&words, checked_copy("--"));
	add_word(&words, checked_copy(job->trace->path));
	all = checked_array(words.count + 1, sizeof(*all));
	memcpy(all, words.at, words.count * sizeof(*all));
	return all;
}

static void free_words(char *const *words)
{
	for (char *const *word = words; *word; word++)
		free(*word);
	free((void *)words);
}

/* ---- one job ------------------------------------------------------------------------------- */

struct run {
	const struct suite_jobs *jobs;
	struct suite_job *job;
	char *folder;
	int status; /* EXIT_FAILED if its record could not be saved */
};

static void remove_file(const struct suite_jobs *jobs, const struct suite_job *job,
			const char *suffix)
{
	char *path = job_file(jobs, job, suffix);

	unlink(path);
	free(path);
}

/* Removes an old result, which must not look like one of this run. */
static void remove_old(const struct suite_jobs *jobs, const struct suite_job *job)
{
	remove_file(jobs, job, "job");
	remove_file(jobs, job, "json");
	remove_file(jobs, job, "txt");
	if (!strcmp(job->name, PAGE_JOB))
		remove_file(jobs, job, "html");
}

static enum outcome outcome_of(const struct run *run, const struct job *job)
{
	if (job_ended_with(job, EXIT_DONE))
		return OUTCOME_DONE;
	if (job_ended_with(job, EXIT_UNSUITABLE))
		return OUTCOME_SKIPPED;
	return job_ended_with(job, EXIT_FAILED) && job_has_result(run->jobs, run->job)
		       ? OUTCOME_INCOMPLETE
		       : OUTCOME_FAILED;
}

static void end_job(struct job *job)
{
	struct run *run = job->owner;

	run->job->outcome = outcome_of(run, job);
	run->job->kept = false;
	free(run->job->message);
	run->job->message = job_first_message(job);
	if (!run->job->message && WIFSIGNALED(job->status))
		run->job->message = text_format("ended by signal %d (%s)", WTERMSIG(job->status),
						strsignal(WTERMSIG(job->status)));
	run->status = save_job_record(run->jobs, run->job);
	job_close(job);
}

/* ---- all jobs ------------------------------------------------------------------------------ */

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

static void prepare(struct run *run, struct job *job, struct suite_jobs *jobs,
		    struct suite_job *suite_job)
{
	remove_old(jobs, suite_job);
	*run = (struct run){
		.jobs = jobs,
		.job = suite_job,
		.folder = text_format("%s/%s", jobs->directory, suite_job->trace->name),
	};
	*job = (struct job){
		.arguments = words_of(suite_job),
		.directory = run->folder,
		.ended = end_job,
		.owner = run,
	};
}

/* Runs the pages, which are made of results, or all other jobs. */
static int run_kind(struct suite_jobs *jobs, bool pages, const struct run_limits *limits)
{
	struct run *runs = checked_array(jobs->count, sizeof(*runs));
	struct job *all = checked_array(jobs->count, sizeof(*all));
	size_t count = 0;
	int status = EXIT_DONE;

	for (size_t i = 0; i < jobs->count; i++)
		if (!job_is_over(&jobs->at[i]) && !strcmp(jobs->at[i].name, PAGE_JOB) == pages) {
			prepare(&runs[count], &all[count], jobs, &jobs->at[i]);
			count++;
		}
	if (count)
		status = run_jobs(all, count, limits->at_once,
				  pages ? "writing pages" : "analyzing", limits->quiet);
	for (size_t i = 0; i < count; i++) {
		if (runs[i].status)
			status = EXIT_FAILED;
		job_close(&all[i]);
		free_words(all[i].arguments);
		free(runs[i].folder);
	}
	free(runs);
	free(all);
	return status;
}

int run_suite_jobs(struct suite_jobs *jobs, const struct run_limits *limits)
{
	int status = run_kind(jobs, false, limits);

	return status ? status : run_kind(jobs, true, limits);
}
