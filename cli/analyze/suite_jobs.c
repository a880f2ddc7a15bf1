/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_jobs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/json_values.h"
#include "cli/common/save_file.h"

const char *const outcome_words[N_OUTCOMES] = { "missing", "done", "skipped", "incomplete",
						"failed" };

char *job_file(const struct suite_jobs *jobs, const struct suite_job *job, const char *suffix)
{
	return text_format("%s/%s/%s.%s", jobs->directory, job->trace->name, job->name, suffix);
}

static bool is_page(const struct suite_job *job)
{
	return !strcmp(job->name, PAGE_JOB);
}

bool job_has_result(const struct suite_jobs *jobs, const struct suite_job *job)
{
	char *path = job_file(jobs, job, is_page(job) ? "html" : "json");
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

bool job_is_over(const struct suite_job *job)
{
	return job->outcome == OUTCOME_DONE || job->outcome == OUTCOME_SKIPPED ||
	       job->outcome == OUTCOME_INCOMPLETE;
}

/* ---- the list ------------------------------------------------------------------------------ */

/* Returns true if a list of words with commas between them has the word. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, length) && (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

static bool is_known(const struct found_analyzers *analyzers, const char *name)
{
	for (size_t i = 0; i < analyzers->count; i++)
		if (!strcmp(analyzers->at[i].name, name))
			return true;
	return !strcmp(name, PAGE_JOB);
}

static int check_names(const struct found_analyzers *analyzers, const char *only)
{
	char *words = checked_copy(only), *rest = words, *word;
	int status = EXIT_DONE;

	while (!status && (word = strsep(&rest, ",")))
		if (!is_known(analyzers, word))
			status = command_usage_error(
				"--only: there is no analyzer '%s'; --list lists them", word);
	free(words);
	return status;
}

static void add_job(struct suite_jobs *jobs, const struct suite_trace *trace,
		    const struct found_analyzer *analyzer)
{
	CHECKED_RESERVE(*jobs, jobs->count + 1);
	jobs->at[jobs->count++] = (struct suite_job){
		.trace = trace,
		.name = analyzer->name,
		.command = analyzer->path,
	};
}

int list_suite_jobs(struct suite_jobs *jobs, const struct suite_traces *traces,
		    const struct found_analyzers *analyzers, const char *only)
{
	static const struct found_analyzer page = { .name = (char *)PAGE_JOB };

	if (only && check_names(analyzers, only))
		return EXIT_USAGE;
	for (size_t t = 0; t < traces->count; t++) {
		for (size_t i = 0; i < analyzers->count; i++)
			if (!only || has_word(only, analyzers->at[i].name))
				add_job(jobs, &traces->at[t], &analyzers->at[i]);
		if (!only || has_word(only, PAGE_JOB))
			add_job(jobs, &traces->at[t], &page);
	}
	return EXIT_DONE;
}

void free_suite_jobs(struct suite_jobs *jobs)
{
	for (size_t i = 0; i < jobs->count; i++)
		free(jobs->at[i].message);
	free(jobs->at);
}

/* ---- records ------------------------------------------------------------------------------- */

static json_t *identity_of(const struct suite_job *job)
{
	json_t *identity = checked(json_object());

	json_member(identity, "suite_job", json_number(1));
	json_member(identity, "generator", json_word("tracelab " TRACELAB_VERSION));
	json_member(identity, "uuid", json_word(job->trace->uuid));
	json_member(identity, "bytes", json_number(job->trace->bytes));
	return identity;
}

static bool fits(const struct suite_job *job, const json_t *record)
{
	json_t *expected = identity_of(job);
	const char *name;
	json_t *value;
	bool same = true;

	json_object_foreach (expected, name, value)
		same &= json_equal(value, json_object_get(record, name)) != 0;
	json_decref(expected);
	return same;
}

static enum outcome parse_outcome(const char *word)
{
	for (unsigned i = 0; word && i < N_OUTCOMES; i++)
		if (!strcmp(word, outcome_words[i]))
			return (enum outcome)i;
	return OUTCOME_MISSING;
}

/* Returns when a job's record was written, or 0. */
static struct timespec record_time(const struct suite_jobs *jobs, const struct suite_job *job)
{
	char *path = job_file(jobs, job, "job");
	struct stat status = { 0 };

	if (stat(path, &status) < 0)
		status.st_mtim = (struct timespec){ 0 };
	free(path);
	return status.st_mtim;
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/*
 * Returns true if the trace is newer than a job's record. A trace that was damaged may have been
 * replaced by a copy that is as old as the original.
 */
static bool is_newer(const struct suite_jobs *jobs, const struct suite_job *job)
{
	return is_later(job->outcome == OUTCOME_INCOMPLETE ? job->trace->changed
							   : job->trace->modified,
			record_time(jobs, job));
}

static void read_record(const struct suite_jobs *jobs, struct suite_job *job)
{
	char *path = job_file(jobs, job, "job");
	json_t *record = json_load_file(path, 0, NULL);
	bool needs_result;

	if (record && fits(job, record)) {
		job->outcome = parse_outcome(json_read_text(record, "outcome"));
		job->message = checked_copy(json_read_text(record, "message"));
		job->kept = true;
	}
	needs_result = job->outcome == OUTCOME_DONE || job->outcome == OUTCOME_INCOMPLETE;
	if ((needs_result && !job_has_result(jobs, job)) || is_newer(jobs, job))
		job->outcome = OUTCOME_MISSING;
	json_decref(record);
	free(path);
}

int save_job_record(const struct suite_jobs *jobs, const struct suite_job *job)
{
	char *path = job_file(jobs, job, "job");
	struct save_file *file = save_file_begin(path);
	json_t *record = identity_of(job);
	int status = EXIT_FAILED;

	json_member(record, "outcome", json_word(outcome_words[job->outcome]));
	json_member(record, "message", job->message ? json_text(job->message) : json_null());
	if (file) {
		json_dumpf(record, save_file_stream(file), JSON_INDENT(2) | JSON_ENSURE_ASCII);
		putc('\n', save_file_stream(file));
		status = save_file_end(file);
	}
	json_decref(record);
	free(path);
	return status;
}

/* A page is made anew if one of the trace's results is newer, or is going to be made. */
static void check_page(const struct suite_jobs *jobs, struct suite_job *page)
{
	struct timespec made = record_time(jobs, page);

	for (size_t i = 0; i < jobs->count; i++) {
		const struct suite_job *job = &jobs->at[i];

		if (job->trace == page->trace && job != page &&
		    (!job_is_over(job) || is_later(record_time(jobs, job), made)))
			page->outcome = OUTCOME_MISSING;
	}
}

void read_job_records(struct suite_jobs *jobs)
{
	for (size_t i = 0; i < jobs->count; i++) {
		read_record(jobs, &jobs->at[i]);
		if (is_page(&jobs->at[i]))
			check_page(jobs, &jobs->at[i]);
	}
}
