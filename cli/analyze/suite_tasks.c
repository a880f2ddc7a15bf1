/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"

const char *const stage_words[N_STAGES] = { "analyze", "merge", "pages" };

/* ---- parts --------------------------------------------------------------------------------- */

/* The name of a part's file in the trace's folder. */
static char *part_name(const struct suite_task *task, unsigned part)
{
	return text_format("%s.%uof%u.part", task->job->name, part, task->parts);
}

char *part_file(const struct suite_jobs *jobs, const struct suite_task *task, unsigned part)
{
	char *name = part_name(task, part);
	char *path = text_format("%s/%s/%s", jobs->directory, task->job->trace->name, name);

	free(name);
	return path;
}

bool has_part(const struct suite_jobs *jobs, const struct suite_task *task, unsigned part)
{
	const struct timespec *trace = &task->job->trace->modified;
	char *path = part_file(jobs, task, part);
	struct stat status;
	bool there = stat(path, &status) == 0 && (status.st_mtim.tv_sec > trace->tv_sec ||
						  (status.st_mtim.tv_sec == trace->tv_sec &&
						   status.st_mtim.tv_nsec >= trace->tv_nsec));

	free(path);
	return there;
}

/* Analyzers whose results, with their default options, can be merged from parts. */
static bool is_mergeable(const struct suite_job *job)
{
	static const char *const names[] = { "mix",       "itypes", "footprint", "stride", "reg",
					     "stackdist", "ilp",    "bbv",       "calls" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(job->name, names[i]))
			return true;
	return false;
}

/* Returns the number of parts of a job: 1 if it is not cut. */
static unsigned parts_of(const struct suite_job *job, uint64_t part_size)
{
	uint64_t parts;

	if (!part_size || !is_mergeable(job) || job->trace->instructions <= part_size)
		return 1;
	parts = job->trace->instructions / part_size + (job->trace->instructions % part_size != 0);
	return parts > MOST_PARTS ? MOST_PARTS : (unsigned)parts;
}

/* ---- lists --------------------------------------------------------------------------------- */

static void add_task(struct suite_tasks *tasks, const struct suite_task *task)
{
	CHECKED_RESERVE(*tasks, tasks->count + 1);
	tasks->at[tasks->count++] = *task;
}

static void add_parts(struct suite_tasks *tasks, const struct suite_jobs *jobs,
		      struct suite_job *job, unsigned parts)
{
	for (unsigned part = 0; part < parts; part++) {
		struct suite_task task = { job, TASK_PART, part, parts };

		if (!has_part(jobs, &task, part))
			add_task(tasks, &task);
	}
}

void list_tasks(const struct suite_jobs *jobs, enum stage stage, uint64_t part_size,
		struct suite_tasks *tasks)
{
	for (size_t i = 0; i < jobs->count; i++) {
		struct suite_job *job = &jobs->at[i];
		bool is_page = !strcmp(job->name, PAGE_JOB);
		unsigned parts = parts_of(job, part_size);

		if (job_is_over(job) || is_page != (stage == STAGE_PAGES))
			continue;
		if (is_page)
			add_task(tasks, &(struct suite_task){ job, TASK_PAGE, 0, 1 });
		else if (stage == STAGE_MAP && parts == 1)
			add_task(tasks, &(struct suite_task){ job, TASK_WHOLE, 0, 1 });
		else if (stage == STAGE_MAP)
			add_parts(tasks, jobs, job, parts);
		else if (parts > 1)
			add_task(tasks, &(struct suite_task){ job, TASK_MERGE, 0, parts });
	}
}

/* ---- names --------------------------------------------------------------------------------- */

char *task_name(const struct suite_task *task)
{
	const struct suite_job *job = task->job;

	if (task->kind == TASK_PART)
		return text_format("%s/%s:%u/%u", job->trace->name, job->name, task->part,
				   task->parts);
	if (task->kind == TASK_MERGE)
		return text_format("%s/%s:merge/%u", job->trace->name, job->name, task->parts);
	return text_format("%s/%s", job->trace->name, job->name);
}

/* Parses what is behind the colon. */
static bool parse_part(const char *text, struct suite_task *task)
{
	char end;

	if (sscanf(text, "merge/%5u%c", &task->parts, &end) == 1)
		task->kind = TASK_MERGE;
	else if (sscanf(text, "%5u/%5u%c", &task->part, &task->parts, &end) == 2)
		task->kind = TASK_PART;
	else
		return false;
	return task->parts >= 1 && task->parts <= MOST_PARTS && task->part < task->parts;
}

int parse_task(const struct suite_jobs *jobs, const char *name, struct suite_task *task)
{
	const char *colon = strchr(name, ':');
	size_t length = colon ? (size_t)(colon - name) : strlen(name);

	for (size_t i = 0; i < jobs->count; i++) {
		struct suite_job *job = &jobs->at[i];
		char *whole = text_format("%s/%s", job->trace->name, job->name);
		bool same = strlen(whole) == length && !strncmp(whole, name, length);
		bool is_page = !strcmp(job->name, PAGE_JOB);

		free(whole);
		if (!same)
			continue;
		*task = (struct suite_task){ job, is_page ? TASK_PAGE : TASK_WHOLE, 0, 1 };
		if (!colon || (!is_page && parse_part(colon + 1, task)))
			return EXIT_DONE;
	}
	command_error("the suite has no job '%s'", name);
	return EXIT_FAILED;
}

/* ---- command lines ------------------------------------------------------------------------- */

struct words {
	ARRAY(char *);
};

/* Adds a word from malloc; NULL ends the words. */
static void add(struct words *words, char *word)
{
	CHECKED_RESERVE(*words, words->count + 1);
	words->at[words->count++] = word;
}

static void add_page(struct words *words)
{
	add(words, command_beside_this("trace-report"));
	add(words, checked_copy("--quiet"));
	add(words, checked_copy("--force"));
	add(words, checked_copy("--jobs=1"));
	add(words, checked_copy("--reuse=."));
	add(words, checked_copy("--output=" PAGE_JOB ".html"));
}

static void add_part(struct words *words, const struct suite_task *task)
{
	char *name = part_name(task, task->part);

	add(words, text_format("--part=%u/%u", task->part, task->parts));
	add(words, text_format("--partial=%s", name));
	free(name);
}

/* Adds the parts that exist; the analyzer names those that do not. */
static void add_merge(struct words *words, const struct suite_jobs *jobs,
		      const struct suite_task *task)
{
	add(words, text_format("--results=%s", task->job->name));
	add(words, text_format("--merge-parts=%s", task->job->trace->path));
	add(words, checked_copy("--"));
	for (unsigned part = 0; part < task->parts; part++)
		if (has_part(jobs, task, part))
			add(words, part_name(task, part));
	add(words, NULL);
}

char **task_words(const struct suite_jobs *jobs, const struct suite_task *task)
{
	const struct suite_job *job = task->job;
	struct words words = { 0 };

	if (task->kind == TASK_PAGE) {
		add_page(&words);
	} else {
		add(&words, checked_copy(job->command));
		add(&words, checked_copy("--quiet"));
	}
	if (task->kind == TASK_MERGE) {
		add_merge(&words, jobs, task);
		return words.at;
	}
	if (task->kind == TASK_PART)
		add_part(&words, task);
	else if (task->kind == TASK_WHOLE)
		add(&words, text_format("--results=%s", job->name));
	add(&words, checked_copy("--"));
	add(&words, checked_copy(job->trace->path));
	add(&words, NULL);
	return words.at;
}

void free_task_words(char *const *words)
{
	for (char *const *word = words; *word; word++)
		free(*word);
	free((void *)words);
}
