/* SPDX-License-Identifier: MIT */
#include "cli/analyze/run_all.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/http_file.h"
#include "cli/common/jobs.h"

struct batch {
	const struct run_all *how;
	const struct found_analyzers *analyzers;
	char *trace;       /* absolute */
	struct job *jobs;  /* by analyzer */
	char ***arguments; /* by analyzer */
	struct job page;   /* trace-report, behind all analyzers */
};

/* ---- running ----------------------------------------------------------------------------- */

static char *result_of(const struct batch *batch, size_t i, const char *suffix)
{
	return text_format("%s/%s.%s", batch->how->directory, batch->analyzers->at[i].name, suffix);
}

/* Removes an old result, which must not look like a result of this run. */
static void remove_old(const struct batch *batch, size_t i)
{
	static const char *const suffixes[] = { "json", "txt", "report.json" };

	for (size_t j = 0; j < sizeof(suffixes) / sizeof(suffixes[0]); j++) {
		char *path = result_of(batch, i, suffixes[j]);

		unlink(path);
		free(path);
	}
}

/*
 * Returns the options of results that the page needs, an array for each analyzer that computes them
 * in the same pass as its own result; NULL: trace-report cannot say. The caller frees it.
 */
static json_t *options_of_page(const struct batch *batch)
{
	char *command = command_beside_this("trace-report");
	char *const words[] = { command, (char *)"--passes", (char *)"--", batch->trace, NULL };
	struct job job = { .arguments = words, .keeps_output = true };
	json_t *options = NULL;

	if (!run_jobs(&job, 1, 1, "reading", true) && job_ended_with(&job, EXIT_DONE) &&
	    fseek(job.output, 0, SEEK_SET) == 0)
		options = json_loadf(job.output, 0, NULL);
	job_close(&job);
	free(command);
	return options;
}

/* Returns the command line of an analyzer. more: options of more results, an array or NULL. */
static char **words_of(const struct batch *batch, const struct found_analyzer *analyzer,
		       const json_t *more)
{
	enum { OTHERS = 6 };
	char **words = checked_array(OTHERS + json_array_size(more), sizeof(*words));
	size_t n = 0;

	words[n++] = checked_copy(analyzer->path);
	words[n++] = checked_copy("--quiet");
	words[n++] = text_format("--results=%s", analyzer->name);
	for (size_t i = 0; i < json_array_size(more); i++)
		words[n++] = text_format("--also=%s", json_string_value(json_array_get(more, i)));
	words[n++] = checked_copy("--");
	words[n++] = checked_copy(batch->trace);
	return words;
}

static int run_batch(struct batch *batch)
{
	json_t *options = options_of_page(batch);

	for (size_t i = 0; i < batch->analyzers->count; i++) {
		const struct found_analyzer *analyzer = &batch->analyzers->at[i];

		batch->arguments[i] = words_of(batch, analyzer,
					       json_object_get(options, analyzer->name));
		batch->jobs[i].arguments = batch->arguments[i];
		batch->jobs[i].directory = batch->how->directory;
		remove_old(batch, i);
	}
	json_decref(options);
	return run_jobs(batch->jobs, batch->analyzers->count, batch->how->jobs, "analyzing",
			batch->how->quiet);
}

/* Makes a page of the results, for which trace-report takes those that it needs as they are. */
static int make_page(struct batch *batch)
{
	const struct run_all *how = batch->how;
	char *command = command_beside_this("trace-report");
	char *page = text_format("%s/report.html", how->directory);
	char *output = text_format("--output=%s", page);
	char *reuse = text_format("--reuse=%s", how->directory);
	char *jobs = text_format("--jobs=%u", how->jobs);
	char *words[] = { command,
			  (char *)"--quiet",
			  (char *)"--force",
			  output,
			  reuse,
			  how->jobs ? jobs : (char *)"--",
			  how->jobs ? (char *)"--" : batch->trace,
			  how->jobs ? batch->trace : NULL,
			  NULL };
	int status;

	unlink(page);
	batch->page.arguments = words;
	status = run_jobs(&batch->page, 1, 1, "writing the page", how->quiet);
	batch->page.arguments = NULL;
	free(jobs);
	free(reuse);
	free(output);
	free(page);
	free(command);
	return status;
}

/* ---- the summary ------------------------------------------------------------------------- */

static bool exists(char *path)
{
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* path: of the result, which becomes this function's. */
static const char *outcome(const struct job *job, char *path)
{
	bool has_result = exists(path);

	if (job_ended_with(job, EXIT_DONE))
		return "done";
	if (job_ended_with(job, EXIT_UNSUITABLE))
		return "skipped";
	return has_result ? "incomplete" : "failed";
}

/* Adds a row. Returns EXIT_FAILED if the job has not done what can be done. */
static int add_outcome(struct report *report, const char *name, const struct job *job, char *path)
{
	char *message = job_first_message(job);
	const char *word = outcome(job, path);

	report_row(report, name, word, job->wall, job->cpu, message);
	free(message);
	return job_ended_with(job, EXIT_DONE) || job_ended_with(job, EXIT_UNSUITABLE) ? EXIT_DONE
										      : EXIT_FAILED;
}

/* Returns the exit code. */
static int summarize(const struct batch *batch)
{
	static const struct report_column columns[] = {
		{ "analyzer", REPORT_STRING, "" }, { "outcome", REPORT_STRING, "" },
		{ "wall", REPORT_F64, "s" },       { "cpu", REPORT_F64, "s" },
		{ "message", REPORT_STRING, "" },  { NULL, 0, NULL },
	};
	struct report *report = report_begin(stdout, batch->how->format);
	int status = EXIT_DONE;

	report_table(report, "analyzers", columns);
	for (size_t i = 0; i < batch->analyzers->count; i++)
		status |= add_outcome(report, batch->analyzers->at[i].name, &batch->jobs[i],
				      result_of(batch, i, "json"));
	status |= add_outcome(report, "report", &batch->page,
			      text_format("%s/report.html", batch->how->directory));
	report_end(report);
	return command_close_stdout() ? EXIT_FAILED : status;
}

/* ------------------------------------------------------------------------------------------ */

static void free_batch(struct batch *batch)
{
	for (size_t i = 0; i < batch->analyzers->count; i++) {
		for (char **word = batch->arguments[i]; word && *word; word++)
			free(*word);
		free(batch->arguments[i]);
		job_close(&batch->jobs[i]);
	}
	job_close(&batch->page);
	free(batch->arguments);
	free(batch->jobs);
	free(batch->trace);
}

/* Returns true if the folder exists afterwards, otherwise false with errno set. */
static bool make_folder(const char *path)
{
	struct stat status;

	if (mkdir(path, 0777) == 0)
		return true;
	return errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int run_all(const struct run_all *how, const struct found_analyzers *analyzers)
{
	struct batch batch = { .how = how, .analyzers = analyzers };
	int status;

	batch.trace = is_url(how->trace) ? checked_copy(how->trace) : realpath(how->trace, NULL);
	if (!batch.trace) {
		command_error("%s: %m", shown_name(how->trace));
		return EXIT_FAILED;
	}
	if (!make_folder(how->directory)) {
		command_error("cannot make %s: %m", how->directory);
		free(batch.trace);
		return EXIT_FAILED;
	}
	batch.jobs = checked_array(analyzers->count, sizeof(*batch.jobs));
	batch.arguments = checked_array(analyzers->count, sizeof(*batch.arguments));
	status = run_batch(&batch);
	if (!status)
		status = make_page(&batch);
	if (!status)
		status = summarize(&batch);
	free_batch(&batch);
	return status;
}
