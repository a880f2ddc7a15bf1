/* SPDX-License-Identifier: MIT */
#include "cli/compare/measure.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"
#include "cli/common/json_values.h"

/* Call paths with a smaller share of the instructions are left out, in percent. */
#define LEAST_PATH "0.02"

/* A command that runs on a trace. */
struct step {
	const char *key; /* of its results in the document */
	size_t document;
	bool optional; /* a trace may lack what it needs */
	ARRAY(char *) words;
};

struct plan {
	const struct measure *how;
	ARRAY(struct step) steps;
};

static void add_word(struct step *step, const char *word)
{
	CHECKED_RESERVE(step->words, step->words.count + 1);
	step->words.at[step->words.count++] = checked_copy(word);
}

/* Begins a step that runs the command trace-KEY. */
static struct step *add_step(struct plan *plan, const char *key, size_t document, bool optional)
{
	char *command = text_format("trace-%s", key), *path = command_beside_this(command);
	struct step *step;

	CHECKED_RESERVE(plan->steps, plan->steps.count + 1);
	step = &plan->steps.at[plan->steps.count++];
	*step = (struct step){ .key = key, .document = document, .optional = optional };
	add_word(step, path);
	add_word(step, "--format=json");
	free(path);
	free(command);
	return step;
}

static void add_trace(struct step *step, const char *file)
{
	add_word(step, "--");
	add_word(step, file);
	CHECKED_RESERVE(step->words, step->words.count + 1);
	step->words.at[step->words.count] = NULL;
}

/* Adds the options that choose a part of the trace, and the trace. */
static void add_part(const struct plan *plan, struct step *step, const char *file)
{
	add_word(step, "--quiet");
	if (plan->how->filtered)
		add_word(step, "--filtered");
	if (plan->how->region) {
		char *region = text_format("--region=%s", plan->how->region);

		add_word(step, region);
		free(region);
	}
	add_trace(step, file);
}

/* Returns the sizes of caches among the metrics as an option, or NULL. Free it. */
static char *cache_sizes(const struct metrics *metrics)
{
	char *sizes = NULL;

	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric *metric = &metrics->at[i];
		char *longer;

		if (metric->kind != METRIC_MISSES)
			continue;
		longer = text_format(sizes ? "%s,%llu" : "%s%llu", sizes ? sizes : "--cache-size=",
				     (unsigned long long)metric->size);
		free(sizes);
		sizes = longer;
	}
	return sizes;
}

static bool wants_levels(const struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->at[i].kind == METRIC_LEVEL)
			return true;
	return false;
}

static bool wants_cycles(const struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->at[i].kind == METRIC_COST && metrics->at[i].cost == COST_CYCLES)
			return true;
	return false;
}

static const char *levels_of(const struct measure *how)
{
	return how->levels ? how->levels : DEFAULT_LEVELS;
}

static void plan_trace(struct plan *plan, const char *file, size_t document)
{
	const struct metrics *metrics = plan->how->metrics;
	char *sizes = cache_sizes(metrics);
	struct step *step = add_step(plan, "calls", document, false);

	add_word(step, "--code");
	add_word(step, "--top=1000000000");
	add_word(step, "--threshold=" LEAST_PATH);
	if (wants_cycles(metrics))
		add_word(step, "--cost=cycles");
	add_part(plan, step, file);
	if (sizes) {
		step = add_step(plan, "stackdist", document, true);
		add_word(step, sizes);
		add_part(plan, step, file);
	}
	if (wants_levels(metrics)) {
		char *levels = text_format("--levels=%s", levels_of(plan->how));

		step = add_step(plan, "cache", document, true);
		add_word(step, levels);
		add_word(step, "--by=function");
		add_word(step, "--top=1000000000");
		add_part(plan, step, file);
		free(levels);
	}
	if (plan->how->advice) {
		step = add_step(plan, "slo", document, true);
		add_word(step, "--top=100");
		add_part(plan, step, file);
	}
	step = add_step(plan, "info", document, false);
	add_word(step, "--modules");
	add_trace(step, file);
	free(sizes);
}

/* ---- results ----------------------------------------------------------------------------- */

/* Repeats the warnings and errors of a command. Returns true if there was an error. */
static bool repeat_messages(const struct job *job)
{
	bool failed = false;
	char *line = NULL;
	size_t size = 0;

	rewind(job->messages);
	while (getline(&line, &size, job->messages) > 0)
		if (strstr(line, ": error: ") || strstr(line, ": warning: ")) {
			fputs(line, stderr);
			failed |= strstr(line, ": error: ") != NULL;
		}
	free(line);
	return failed;
}

/* Adds the results of a step to its document. */
static bool collect(const struct step *step, const struct job *job, json_t *document)
{
	bool done = job_ended_with(job, EXIT_DONE), explained = false;
	json_error_t error;
	json_t *results;

	if (step->optional && job_ended_with(job, EXIT_UNSUITABLE))
		return true;
	if (!strcmp(step->key, "calls") || !done)
		explained = repeat_messages(job);
	rewind(job->output);
	results = json_loadf(job->output, 0, &error);
	if (done && json_is_object(results)) {
		json_member(document, step->key, results);
		return true;
	}
	json_decref(results);
	if (!explained)
		command_error("trace-%s gave no result for %s", step->key,
			      step->words.at[step->words.count - 1]);
	return false;
}

static bool run(const struct plan *plan, json_t **documents)
{
	size_t n = plan->steps.count;
	struct job *jobs = checked_array(n, sizeof(*jobs));
	bool done;

	for (size_t i = 0; i < n; i++)
		jobs[i] = (struct job){ .arguments = plan->steps.at[i].words.at,
					.keeps_output = true };
	done = !run_jobs(jobs, n, plan->how->jobs, "comparing", plan->how->quiet);
	for (size_t i = 0; i < n && done; i++)
		done = collect(&plan->steps.at[i], &jobs[i], documents[plan->steps.at[i].document]);
	for (size_t i = 0; i < n; i++)
		job_close(&jobs[i]);
	free(jobs);
	return done;
}

/* Returns the options that results depend on. */
static json_t *options_of(const struct measure *how)
{
	json_t *options = checked(json_object());

	json_member(options, "levels", json_text(levels_of(how)));
	json_member(options, "region", how->region ? json_text(how->region) : json_null());
	json_member(options, "filtered", json_boolean(how->filtered));
	return options;
}

bool measure_traces(const struct measure *how, const char *const *files, size_t count,
		    json_t **documents)
{
	struct plan plan = { .how = how };
	bool done;

	for (size_t i = 0; i < count; i++) {
		if (documents[i])
			continue;
		documents[i] = checked(json_object());
		json_member(documents[i], "trace_compare", json_number(DOCUMENT_VERSION));
		json_member(documents[i], "measured", options_of(how));
		plan_trace(&plan, files[i], i);
	}
	done = run(&plan, documents);
	for (size_t i = 0; i < plan.steps.count; i++) {
		for (size_t j = 0; j < plan.steps.at[i].words.count; j++)
			free(plan.steps.at[i].words.at[j]);
		free(plan.steps.at[i].words.at);
	}
	free(plan.steps.at);
	return done;
}
