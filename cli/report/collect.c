/* SPDX-License-Identifier: MIT */
#include "cli/report/collect.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"
#include "cli/common/json_values.h"
#include "cli/report/parts.h"

/* A part that is to be computed. */
struct task {
	const struct report_part *part;
	char **words; /* of its command */
};

struct collection {
	const struct report_request *request;
	json_t *document;
	struct task *tasks;
	struct job *jobs; /* by task */
	size_t count;
};

/* ---- command lines ------------------------------------------------------------------------- */

struct words {
	ARRAY(char *);
};

static void add(struct words *words, char *word)
{
	CHECKED_RESERVE(*words, words->count + 2);
	words->at[words->count++] = word;
	words->at[words->count] = NULL;
}

static void add_options(struct words *words, const char *options)
{
	while (*options) {
		size_t length = strcspn(options, " ");

		add(words, text_format("%.*s", (int)length, options));
		options += length + (options[length] == ' ');
	}
}

static char **command_words(const struct report_part *part, const struct report_request *request)
{
	struct words words = { 0 };

	add(&words, command_beside_this(part->command));
	add_options(&words, part->options);
	if (part->has_machine && request->machine)
		add(&words, text_format("--machine=%s", request->machine));
	add(&words, checked_copy("--quiet"));
	add(&words, checked_copy("--format=json"));
	add(&words, checked_copy("--"));
	add(&words, checked_copy(request->trace));
	return words.at;
}

static void free_words(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}

/* Returns the command line for a reader of the page, who has the trace in the current folder. */
static json_t *shown_command(const struct report_part *part, const struct report_request *request)
{
	const char *machine = part->has_machine ? request->machine : NULL;
	char *line = text_format("%s%s%s%s%s %s", part->command, *part->options ? " " : "",
				 part->options, machine ? " --machine=" : "",
				 machine ? machine : "", base_name(request->trace));
	json_t *text = json_text(line);

	free(line);
	return text;
}

/* ---- results ------------------------------------------------------------------------------- */

/* Returns a member that is an object, which it makes if there is none. */
static json_t *object_in(json_t *object, const char *name)
{
	json_t *member = json_object_get(object, name);

	if (!json_is_object(member)) {
		member = checked(json_object());
		json_member(object, name, member);
	}
	return member;
}

/* Returns the place of the result "a.b", whose object it makes, and sets *name to its last word. */
static json_t *place_of(json_t *results, const char *result, const char **name)
{
	const char *dot = strchr(result, '.');
	char *outer;
	json_t *object;

	*name = dot ? dot + 1 : result;
	if (!dot)
		return results;
	outer = text_format("%.*s", (int)(dot - result), result);
	object = object_in(results, outer);
	free(outer);
	return object;
}

static void keep_result(const struct collection *c, const struct report_part *part, json_t *result)
{
	json_t *results = object_in(c->document, "results");
	const char *name;

	if (part->table) {
		json_t *table = json_object_get(result, part->table);

		if (table)
			json_member(object_in(results, part->result), part->table,
				    json_incref(table));
		json_decref(result);
		return;
	}
	json_object_del(result, "trace");
	json_object_del(result, "command");
	results = place_of(results, part->result, &name);
	if (json_object_get(results, name) &&
	    json_object_update_missing(result, json_object_get(results, name)))
		out_of_memory();
	json_member(results, name, result);
}

static json_t *exactness(const struct report_part *part)
{
	json_t *entry = checked(json_object());

	json_member(entry, "kind", json_word(part->kind));
	json_member(entry, "note", json_word(part->note));
	return entry;
}

/* Returns why a command has no result. The caller frees it. */
static char *reason(const struct job *job, const struct report_part *part)
{
	char *message = job_first_message(job);

	if (message)
		return message;
	if (WIFSIGNALED(job->status))
		return text_format("%s was ended by signal %d", part->command,
				   WTERMSIG(job->status));
	return text_format("%s ended with status %d", part->command, WEXITSTATUS(job->status));
}

/* Notes in the document that a part is missing. Returns EXIT_FAILED if that is a failure. */
static int keep_reason(const struct collection *c, const struct report_part *part,
		       const struct job *job)
{
	bool unsuitable = job_ended_with(job, EXIT_UNSUITABLE);
	char *why = reason(job, part);

	json_member(object_in(c->document, unsuitable ? "unsuitable" : "failed"), part->name,
		    json_text(why));
	if (!unsuitable)
		command_error("%s: %s", part->command, why);
	free(why);
	return unsuitable ? EXIT_DONE : EXIT_FAILED;
}

/* Keeps what the command of a part has printed. Returns the exit code to end with. */
static int keep(const struct collection *c, const struct report_part *part, const struct job *job)
{
	json_t *result = NULL;
	char *message;

	if (fseek(job->output, 0, SEEK_SET) == 0)
		result = json_loadf(job->output, 0, NULL);
	json_member(object_in(c->document, "commands"), part->name,
		    shown_command(part, c->request));
	if (!json_is_object(result)) {
		json_decref(result);
		return keep_reason(c, part, job);
	}
	json_member(object_in(c->document, "exactness"), part->name, exactness(part));
	keep_result(c, part, result);
	message = job_first_message(job);
	if (message)
		json_member(object_in(c->document, "notes"), part->name, json_text(message));
	free(message);
	if (job_ended_with(job, EXIT_DONE))
		return EXIT_DONE;
	message = reason(job, part);
	command_error("%s: the result is incomplete: %s", part->command, message);
	free(message);
	return EXIT_FAILED;
}

/* ---- running ------------------------------------------------------------------------------- */

static void begin(struct collection *c)
{
	for (size_t i = 0; i < n_report_parts; i++) {
		const struct report_part *part = &report_parts[i];

		if (!group_is_listed(c->request->only, part->group))
			continue;
		c->tasks[c->count] = (struct task){ part, command_words(part, c->request) };
		c->jobs[c->count].arguments = c->tasks[c->count].words;
		c->jobs[c->count++].keeps_output = true;
	}
}

static void end(struct collection *c)
{
	for (size_t i = 0; i < c->count; i++) {
		job_close(&c->jobs[i]);
		free_words(c->tasks[i].words);
	}
	free(c->jobs);
	free(c->tasks);
}

/* Adds what trace-info says of the trace to "traces". Returns an exit code, after a message. */
static int add_trace(const struct report_request *request, json_t *document)
{
	static const struct report_part info = { "info", "info", "trace-info", "--threads", NULL,
						 NULL,   NULL,   NULL,         false };
	char *path = command_beside_this(info.command);
	char *const words[] = { path,         (char *)"--threads",    (char *)"--format=json",
				(char *)"--", (char *)request->trace, NULL };
	struct job job = { .arguments = words, .keeps_output = true };
	int status = run_jobs(&job, 1, 1, "reading", true);
	json_t *result = NULL;

	if (!status && fseek(job.output, 0, SEEK_SET) == 0)
		result = json_loadf(job.output, 0, NULL);
	if (!status && (!json_is_object(result) || !job_ended_with(&job, EXIT_DONE))) {
		char *why = reason(&job, &info);

		command_error("%s", why);
		free(why);
		status = EXIT_FAILED;
	}
	if (!status) {
		json_object_del(result, "section_kinds");
		json_member(result, "file", json_text(base_name(request->trace)));
		json_member(document, "traces", checked(json_pack("[O]", result)));
	}
	json_decref(result);
	job_close(&job);
	free(path);
	return status;
}

int collect_results(const struct report_request *request, json_t *document, bool *unusable)
{
	struct collection c = { .request = request, .document = document };
	int status = add_trace(request, document);

	*unusable = status != 0;
	if (status)
		return status;
	c.tasks = checked_array(n_report_parts, sizeof(*c.tasks));
	c.jobs = checked_array(n_report_parts, sizeof(*c.jobs));
	begin(&c);
	status = run_jobs(c.jobs, c.count, request->jobs, "analyzing", request->quiet);
	*unusable = status != 0;
	for (size_t i = 0; !*unusable && i < c.count; i++)
		if (keep(&c, c.tasks[i].part, &c.jobs[i]))
			status = EXIT_FAILED;
	end(&c);
	return status;
}
