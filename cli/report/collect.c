/* SPDX-License-Identifier: MIT */
#include "cli/report/collect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/jobs.h"
#include "cli/common/json_values.h"
#include "cli/common/shell_word.h"
#include "cli/report/parts.h"
#include "cli/report/passes.h"
#include "cli/report/phases.h"
#include "cli/report/saved.h"
#include "cli/report/shape.h"
#include "cli/report/slo_page.h"

struct collection {
	const struct report_request *request;
	json_t *document;
	struct part_task *tasks;
	size_t count;
	struct phase_plan plan;
	struct slo_page slo;
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
	while (*(options += strspn(options, " "))) {
		size_t length = strcspn(options, " ");

		add(words, text_format("%.*s", (int)length, options));
		options += length;
	}
}

/* Returns a part's model of a machine, which may be a path, or NULL. */
static const char *machine_of(const struct report_part *part, const struct collection *c)
{
	return part->form == PART_OF_MACHINE ? c->request->machine : NULL;
}

/* Returns the options of a part's command without its machine, a blank before each of them. */
static char *options_of(const struct report_part *part, const struct collection *c)
{
	char interval[64] = "", thread[64] = "";

	if (part->form == PART_BY_INTERVAL)
		snprintf(interval, sizeof(interval), " --interval=%" PRIu64, c->plan.interval);
	if (part->form == PART_BY_INTERVAL && c->plan.one_of_many)
		snprintf(thread, sizeof(thread), " --thread=%" PRIu64, c->plan.thread);
	return text_format("%s%s%s%s", *part->options ? " " : "", part->options, interval, thread);
}

static void add_sources(struct words *words, const struct collection *c)
{
	if (!c->slo.folder)
		return;
	add(words, text_format("--html=%s", c->slo.path));
	for (unsigned i = 0; i < c->request->n_sources; i++)
		add(words, text_format("--source=%s", c->request->sources[i]));
}

static char **command_words(const struct report_part *part, const char *options,
			    const struct collection *c)
{
	const struct report_request *request = c->request;
	struct words words = { 0 };

	add(&words, command_beside_this(part->command));
	add_options(&words, options);
	if (machine_of(part, c))
		add(&words, text_format("--machine=%s", machine_of(part, c)));
	add(&words, checked_copy("--format=json"));
	if (part->form == PART_WITH_SOURCE)
		add_sources(&words, c);
	add(&words, checked_copy("--"));
	add(&words, checked_copy(request->trace));
	if (part->form == PART_OF_PAIR)
		add(&words, checked_copy(request->other));
	return words.at;
}

static void free_words(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}

/* Returns the name of a trace in the current folder, as a shell reads it. The caller frees it. */
static char *shown_trace(const char *path)
{
	const char *name = base_name(path);
	char *here = text_format("%s%s", *name == '-' ? "./" : "", name);
	char *word = shell_word(here);

	free(here);
	return word;
}

/*
 * Returns the command line for a reader of the page, who has the trace in the current folder. The
 * caller frees it.
 */
static char *shown_command(const struct collection *c, const struct part_task *task)
{
	bool is_pair = task->part->form == PART_OF_PAIR;
	char *trace = shown_trace(c->request->trace);
	char *other = is_pair ? shown_trace(c->request->other) : NULL;
	const char *named = machine_of(task->part, c);
	char *machine = named ? shell_word(named) : NULL;
	char *line = text_format("%s%s%s%s %s%s%s", task->part->command, task->options,
				 machine ? " --machine=" : "", machine ? machine : "", trace,
				 other ? " " : "", other ? other : "");

	free(machine);
	free(trace);
	free(other);
	return line;
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
	if (part->form == PART_OF_PAIR)
		results = c->document;
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

static void keep_interval_result(const struct collection *c, const struct part_task *task,
				 json_t *result)
{
	json_t *phases = object_in(object_in(c->document, "results"), task->part->result);
	char *command = shown_command(c, task);

	if (!strcmp(task->part->name, task->part->result))
		add_points(phases, result);
	else
		add_metrics(phases, task->part->name, result, command);
	free(command);
	json_decref(result);
}

static void add_text(const struct collection *c, const char *object, const struct part_task *task,
		     char *text)
{
	if (text)
		json_member(object_in(c->document, object), task->part->name, json_text(text));
	free(text);
}

/* Keeps what the command of a part has printed. Returns the exit code to end with. */
static int keep(const struct collection *c, const struct part_task *task)
{
	const struct report_part *part = task->part;
	char *why;

	add_text(c, "commands", task, shown_command(c, task));
	if (!task->result)
		return keep_reason(c, part, task->job);
	json_member(object_in(c->document, "exactness"), part->name, exactness(part));
	if (part->form == PART_WITH_SOURCE) {
		slo_page_add(&c->slo, task->result);
		if (c->request->has_sources)
			slo_page_tell(&c->slo, task->job->messages, c->request->output);
	}
	if (part->form == PART_BY_INTERVAL)
		keep_interval_result(c, task, json_incref(task->result));
	else
		keep_result(c, part, json_incref(task->result));
	if (!task->job) /* the result was in the folder of results */
		return EXIT_DONE;
	add_text(c, "notes", task, job_first_message(task->job));
	if (job_ended_with(task->job, EXIT_DONE))
		return EXIT_DONE;
	why = reason(task->job, part);
	command_error("%s: the result is incomplete: %s", part->command, why);
	free(why);
	return EXIT_FAILED;
}

/* ---- running ------------------------------------------------------------------------------- */

/* Returns whether a part can be computed for what is to be reported. */
static bool is_possible(const struct collection *c, const struct report_part *part)
{
	switch (part->form) {
	case PART_OF_THREADS: return c->plan.one_of_many;
	case PART_OF_PAIR: return c->request->other;
	case PART_BY_INTERVAL: return c->plan.interval;
	default: return true;
	}
}

/* Returns whether a part's pass may be that of others, which is of all threads. */
static bool may_share(const struct collection *c, const struct report_part *part)
{
	switch (part->form) {
	case PART_OF_TRACE: return true;
	case PART_OF_ORDER:
	case PART_BY_INTERVAL: return !c->plan.one_of_many;
	default: return false;
	}
}

/* Returns the result of a task that is in the folder of results, or NULL. */
static json_t *read_result(const struct collection *c, const struct part_task *task)
{
	bool has_other_machine = task->part->form == PART_OF_MACHINE && c->request->machine;

	if (!c->request->results || has_other_machine ||
	    !(task->shares || task->part->form == PART_OF_MACHINE))
		return NULL;
	return saved_result(c->request->results, task->part->command, task->options);
}

/* Notes that a part was not asked for, so that the page does not say that the trace lacks data. */
static void note_left_out(const struct collection *c, const struct report_part *part)
{
	if (!json_object_get(c->document, "left_out"))
		json_member(c->document, "left_out", checked(json_array()));
	json_element(json_object_get(c->document, "left_out"), json_word(part->name));
}

static void begin(struct collection *c)
{
	for (size_t i = 0; i < n_report_parts; i++) {
		const struct report_part *part = &report_parts[i];
		struct part_task *task = &c->tasks[c->count];

		if (!is_possible(c, part))
			continue;
		if (!group_is_listed(c->request->only, part->group)) {
			note_left_out(c, part);
			continue;
		}
		task->part = part;
		task->options = options_of(part, c);
		task->words = command_words(part, task->options, c);
		task->shares = may_share(c, part);
		task->result = read_result(c, task);
		c->count++;
	}
}

static void end(struct collection *c)
{
	for (size_t i = 0; i < c->count; i++) {
		json_decref(c->tasks[i].result);
		free_words(c->tasks[i].words);
		free(c->tasks[i].options);
	}
	slo_page_end(&c->slo);
	free(c->tasks);
}

/* Reads trace-info's lists of a trace. Returns an exit code, after a message. */
static int read_info(const char *trace, const char *lists, json_t **read)
{
	static const struct report_part info = { .command = "trace-info" };
	char *path = command_beside_this(info.command);
	char *const words[] = { path,         (char *)lists, (char *)"--format=json",
				(char *)"--", (char *)trace, NULL };
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
	if (!status)
		*read = json_incref(result);
	json_decref(result);
	job_close(&job);
	free(path);
	return status;
}

/* Adds what trace-info says of a trace to "traces". Returns an exit code, after a message. */
static int add_trace(const char *trace, json_t *document)
{
	json_t *info = NULL;
	int status = read_info(trace, "--threads", &info);

	if (!status && json_object_get(info, "warmup")) {
		json_decref(info);
		status = read_info(trace, "-tr", &info);
	}
	if (status)
		return status;
	json_object_del(info, "section_kinds");
	json_member(info, "file", json_text(base_name(trace)));
	json_element(json_object_get(document, "traces"), info);
	return EXIT_DONE;
}

/* Reads what is to be reported, and plans its tasks. Returns an exit code, after a message. */
static int plan(struct collection *c)
{
	const struct report_request *request = c->request;
	int status;

	json_member(c->document, "traces", checked(json_array()));
	status = add_trace(request->trace, c->document);
	if (!status && request->other)
		status = add_trace(request->other, c->document);
	if (status)
		return status;
	c->tasks = checked_array(n_report_parts, sizeof(*c->tasks));
	c->plan = plan_phases(json_array_get(json_object_get(c->document, "traces"), 0));
	if (group_is_listed(request->only, "slo") && !request->only_plans)
		slo_page_begin(&c->slo);
	begin(c);
	return EXIT_DONE;
}

/* Computes the parts, and keeps what they say. Returns EXIT_DONE or EXIT_FAILED. */
static int compute(struct collection *c, bool *unusable)
{
	const struct pass_limits limits = { c->request->jobs, c->request->quiet };
	struct pass_runs runs = { 0 };
	int status = run_passes(c->tasks, c->count, &limits, &runs);

	*unusable = status != 0;
	for (size_t i = 0; !*unusable && i < c->count; i++)
		if (keep(c, &c->tasks[i]))
			status = EXIT_FAILED;
	close_passes(&runs);
	return status;
}

int collect_results(const struct report_request *request, json_t *document, bool *unusable)
{
	struct collection c = { .request = request, .document = document };
	int status = plan(&c);

	*unusable = status != 0;
	if (status)
		return status;
	status = compute(&c, unusable);
	if (!*unusable)
		shape_results(object_in(document, "results"));
	end(&c);
	return status;
}

int list_passes(const struct report_request *request, json_t *passes)
{
	struct collection c = { .request = request, .document = checked(json_object()) };
	int status = plan(&c);

	if (!status) {
		add_shared_options(c.tasks, c.count, passes);
		end(&c);
	}
	json_decref(c.document);
	return status;
}
