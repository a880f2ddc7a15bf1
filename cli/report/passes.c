/* SPDX-License-Identifier: MIT */
#include "cli/report/passes.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

/* A command, and the tasks that it serves. */
struct pass {
	struct part_task **tasks;
	size_t n_tasks;
	char **also;  /* the option for each task but the first */
	char **words; /* of the first task, with these options */
};

/* ---- which tasks share a pass -------------------------------------------------------------- */

/*
 * The commands that take longest begin first, so that the last ones to end are short. These take
 * longest for programs of all kinds, in this order.
 */
static size_t rank_of(const struct pass *pass)
{
	static const char *const slow[] = { "trace-ibs",       "trace-slo", "trace-cache",
					    "trace-stackdist", "trace-ilp", "trace-ppm" };
	const char *command = pass->tasks[0]->part->command;
	size_t rank = 0;

	while (rank < sizeof(slow) / sizeof(*slow) && strcmp(slow[rank], command) != 0)
		rank++;
	return rank;
}

static int by_rank(const void *a, const void *b)
{
	const struct pass *first = a, *second = b;
	size_t x = rank_of(first), y = rank_of(second);

	if (x != y)
		return x < y ? -1 : 1;
	return first->tasks[0] < second->tasks[0] ? -1 : first->tasks[0] > second->tasks[0];
}

static bool takes(const struct pass *pass, const struct part_task *task)
{
	return task->shares && pass->tasks[0]->shares && *task->options &&
	       !strcmp(pass->tasks[0]->part->command, task->part->command);
}

/* Returns true if a task needs a pass, in the round in which each task has its own if `alone`. */
static bool needs_pass(const struct part_task *task, bool alone)
{
	return !task->result && (task->shares || !alone);
}

/* Assigns the tasks that need one to passes. Returns how many passes there are. */
static size_t plan(struct pass *passes, struct part_task *tasks, size_t n_tasks, bool alone)
{
	size_t n_passes = 0;

	for (size_t i = 0; i < n_tasks; i++) {
		struct pass *pass = passes;

		if (!needs_pass(&tasks[i], alone))
			continue;
		while (pass < passes + n_passes && (alone || !takes(pass, &tasks[i])))
			pass++;
		if (pass == passes + n_passes) {
			n_passes++;
			pass->tasks = checked_array(n_tasks, sizeof(struct part_task *));
		}
		pass->tasks[pass->n_tasks++] = &tasks[i];
	}
	return n_passes;
}

/* Makes the command line of a pass. */
static void make_words(struct pass *pass)
{
	char **words = pass->tasks[0]->words;
	size_t n_words = 0, n = 1;

	while (words[n_words])
		n_words++;
	pass->also = checked_array(pass->n_tasks, sizeof(char *));
	pass->words = checked_array(n_words + pass->n_tasks, sizeof(char *));
	pass->words[0] = words[0];
	for (size_t i = 1; i < pass->n_tasks; i++) {
		pass->also[i] = text_format("--also=%s", pass->tasks[i]->options + 1);
		pass->words[n++] = pass->also[i];
	}
	memcpy(pass->words + n, words + 1, (n_words - 1) * sizeof(char *));
}

static void free_pass(struct pass *pass)
{
	for (size_t i = 1; i < pass->n_tasks; i++)
		free(pass->also[i]);
	free(pass->also);
	free(pass->words);
	free(pass->tasks);
}

/* ---- results ------------------------------------------------------------------------------- */

/* Gives the tasks of a pass their results, and notes in `shares` if they are several. */
static void take_results(const struct pass *pass, struct job *job)
{
	json_t *output = NULL;

	if (job->output && fseek(job->output, 0, SEEK_SET) == 0)
		output = json_loadf(job->output, 0, NULL);
	for (size_t i = 0; i < pass->n_tasks; i++) {
		json_t *result = pass->n_tasks > 1 ? json_array_get(output, i) : output;

		pass->tasks[i]->job = job;
		pass->tasks[i]->shares = pass->n_tasks > 1;
		if (json_is_object(result))
			pass->tasks[i]->result = json_incref(result);
	}
	json_decref(output);
}

static int run_round(struct part_task *tasks, size_t n_tasks, bool alone,
		     const struct pass_limits *limits, struct pass_jobs *jobs)
{
	struct pass *passes = checked_array(n_tasks, sizeof(*passes));
	int status = 0;

	jobs->count = plan(passes, tasks, n_tasks, alone);
	jobs->at = checked_array(jobs->count, sizeof(*jobs->at));
	qsort(passes, jobs->count, sizeof(*passes), by_rank);
	for (size_t i = 0; i < jobs->count; i++) {
		make_words(&passes[i]);
		jobs->at[i] = (struct job){ .arguments = passes[i].words, .keeps_output = true };
	}
	if (jobs->count)
		status = run_jobs(jobs->at, jobs->count, limits->at_once, "analyzing",
				  limits->quiet);
	for (size_t i = 0; i < jobs->count; i++) {
		if (!status)
			take_results(&passes[i], &jobs->at[i]);
		free_pass(&passes[i]);
	}
	free(passes);
	return status;
}

int run_passes(struct part_task *tasks, size_t n_tasks, const struct pass_limits *limits,
	       struct pass_runs *runs)
{
	int status = run_round(tasks, n_tasks, false, limits, &runs->rounds[0]);

	return status ? status : run_round(tasks, n_tasks, true, limits, &runs->rounds[1]);
}

void close_passes(struct pass_runs *runs)
{
	for (size_t r = 0; r < sizeof(runs->rounds) / sizeof(*runs->rounds); r++) {
		for (size_t i = 0; i < runs->rounds[r].count; i++)
			job_close(&runs->rounds[r].at[i]);
		free(runs->rounds[r].at);
	}
}

/* ---- passes that others make --------------------------------------------------------------- */

static bool has_partner(const struct part_task *tasks, size_t n_tasks, const struct part_task *task)
{
	for (size_t i = 0; i < n_tasks; i++)
		if (&tasks[i] != task && tasks[i].shares &&
		    !strcmp(tasks[i].part->command, task->part->command))
			return true;
	return false;
}

void add_shared_options(const struct part_task *tasks, size_t n_tasks, json_t *object)
{
	for (size_t i = 0; i < n_tasks; i++) {
		const char *analyzer = tasks[i].part->command + strlen("trace-");

		if (!tasks[i].shares || !*tasks[i].options ||
		    !has_partner(tasks, n_tasks, &tasks[i]))
			continue;
		if (!json_object_get(object, analyzer))
			json_member(object, analyzer, checked(json_array()));
		json_element(json_object_get(object, analyzer), json_word(tasks[i].options + 1));
	}
}
