/* SPDX-License-Identifier: MIT */
/*
 * trace-compare - what costs more and what less in one trace than in another. The numbers are those
 * of other commands, which it runs (cli/compare/measure.h); here functions are matched
 * (cli/compare/match.h), and differences shown and judged.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/input_file.h"
#include "cli/common/json_values.h"
#include "cli/common/option_parsers.h"
#include "cli/common/report_tables.h"
#include "cli/common/save_file.h"
#include "cli/common/table_folder.h"
#include "cli/compare/measure.h"
#include "cli/compare/views.h"

/* As those of diff and cmp. */
enum { COMPARED = 0, EXCEEDED = 1, TROUBLE = 2 };

struct options {
	const char *metrics, *limits, *function_limits, *modules, *save, *output;
	const char *region, *levels;
	bool filtered, no_paths, no_phases, no_advice, quiet;
	uint64_t jobs, top;
	enum report_format format;
	struct table_options tables;
};

#define AT(member)        offsetof(struct options, member)
#define AT_TABLES(member) AT(tables.member)

static const struct command_option options_table[] = {
	{ "metric", 'm', "LIST", "what to compare: instructions, misses:32Ki, cycles, ...",
	  option_text, AT(metrics) },
	{ "threshold", 0, "LIST", "status 1 if a total grows by more: 1%, loads:5%, ...",
	  option_text, AT(limits) },
	{ "function-threshold", 0, "LIST", "the same for each function's own value", option_text,
	  AT(function_limits) },
	{ "save", 0, "FILE", "save the results of A, for later comparisons", option_text,
	  AT(save) },
	{ "module", 0, "LIST", "only functions of these modules", option_text, AT(modules) },
	{ "levels", 0, "LIST", "the caches of misses:L1, misses:L2, ...; see trace-cache",
	  option_text, AT(levels) },
	{ "region", 0, "NAME", "only inside the region NAME of each trace", option_text,
	  AT(region) },
	{ "filtered", 0, NULL, "without code that synchronizes threads", option_flag,
	  AT(filtered) },
	{ "no-paths", 0, NULL, "", option_flag, AT(no_paths) },
	{ "no-phases", 0, NULL, "", option_flag, AT(no_phases) },
	{ "no-advice", 0, NULL, "do not compare these", option_flag, AT(no_advice) },
	{ "top", 't', "N", "at most N functions in text (default 20)", option_count, AT(top) },
	{ "jobs", 'j', "N", "commands at a time (default: as many as cores)", option_positive,
	  AT(jobs) },
	{ "format", 0, "FMT", "text (default), json or csv", option_format, AT(format) },
	TABLE_OPTIONS(AT_TABLES),
	{ "output", 'o', "FILE", "write the result to FILE", option_text, AT(output) },
	{ "quiet", 'q', NULL, "show no progress", option_flag, AT(quiet) },
	COMMAND_OPTIONS,
};

static const struct command trace_compare = {
	.name = "trace-compare",
	.usage = "[options] A B\n"
		 "[options] --save=FILE A\n",
	.summary = "Show what costs more or less in B than in A, traces or files of --save.",
	.options = options_table,
	.example = "trace-compare --threshold=instructions:1% old.trace new.trace",
};

/* ---- options ----------------------------------------------------------------------------- */

static int parse_metrics(const char *text, struct metrics *metrics)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		struct metric metric;

		if (!parse_metric(text, length, &metric))
			return command_usage_error("--metric=%.*s: expected are " METRIC_WORDS,
						   (int)length, text);
		add_metric(metrics, &metric);
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static int parse_threshold(const char *option, const char *text, const struct metrics *metrics,
			   struct limits *limits)
{
	const char *wrong = text ? parse_limits(text, metrics, limits) : NULL;

	return wrong ? command_usage_error("--%s=%s: %s", option, text, wrong) : 0;
}

/* The parsed command line. */
struct request {
	struct options options;
	struct metrics metrics;  /* to be shown */
	struct metrics measured; /* and these, which have limits */
	struct limits limits, function_limits;
	const char *files[2];
	size_t n_files;
};

static void add_measured(struct request *q, const struct limits *limits)
{
	for (size_t i = 0; i < limits->count; i++)
		add_metric(&q->measured, &limits->at[i].metric);
}

static int parse_lists(struct request *q)
{
	static const char all[] = "instructions,loads,stores,branches,bytes,calls,"
				  "misses:L1,misses:L2,misses:L3";
	const struct options *o = &q->options;
	struct metrics one = { 0 };
	int status = parse_metrics(o->metrics ? o->metrics : all, &q->metrics);

	if (!status)
		status = parse_metrics(o->metrics ? o->metrics : "instructions", &one);
	if (!status)
		status = parse_threshold("threshold", o->limits, &one, &q->limits);
	if (!status)
		status = parse_threshold("function-threshold", o->function_limits, &one,
					 &q->function_limits);
	free(one.at);
	for (size_t i = 0; i < q->metrics.count; i++)
		add_metric(&q->measured, &q->metrics.at[i]);
	add_measured(q, &q->limits);
	add_measured(q, &q->function_limits);
	return status;
}

static int check_files(struct request *q, int argc, char **argv)
{
	size_t count = (size_t)(argc - optind);

	if (!count)
		return command_usage_error("no trace given");
	if (count == 1 && !q->options.save)
		return command_usage_error("one trace given, but two are compared");
	if (count > 2 || (count == 2 && q->options.save))
		return command_usage_error(q->options.save ? "--save is for one trace"
							   : "two traces are compared");
	for (q->n_files = 0; q->n_files < count; q->n_files++) {
		q->files[q->n_files] = argv[optind + (int)q->n_files];
		if (is_standard_stream(q->files[q->n_files]))
			return command_usage_error("traces are read several times: name a file");
		protect_input(q->files[q->n_files]);
	}
	if (q->options.save && (q->options.limits || q->options.function_limits))
		return command_usage_error(
			"--threshold and --function-threshold cannot be used with --save");
	if (q->options.format != REPORT_CSV && names_folder(q->options.output))
		return refuse_folder(q->options.output);
	return 0;
}

/* ---- results ----------------------------------------------------------------------------- */

/* Returns whether the file begins as JSON does. */
static bool is_json(const char *path)
{
	FILE *file = open_input(path);
	int c = file ? getc(file) : EOF;

	while (c == ' ' || c == '\t' || c == '\r' || c == '\n')
		c = getc(file);
	if (file)
		fclose(file);
	return c == '{' || c == '[';
}

static bool get_documents(const struct request *q, json_t **documents, bool *saved)
{
	const struct options *o = &q->options;
	struct measure how = { .metrics = &q->measured,
			       .advice = !o->no_advice,
			       .levels = o->levels,
			       .region = o->region,
			       .filtered = o->filtered,
			       .jobs = (unsigned)o->jobs,
			       .quiet = o->quiet };

	for (size_t i = 0; i < q->n_files; i++) {
		saved[i] = is_json(q->files[i]);
		if (!saved[i])
			continue;
		documents[i] = json_file_read(q->files[i],
					      "a document that trace-compare has saved");
		if (!documents[i])
			return false;
	}
	return measure_traces(&how, q->files, q->n_files, documents);
}

static int save(const struct request *q)
{
	json_t *document = NULL;
	bool saved;
	struct save_file *file;
	int status;

	if (would_overwrite_input(q->options.save) || is_dangling(q->options.save) ||
	    !get_documents(q, &document, &saved)) {
		json_decref(document);
		return TROUBLE;
	}
	file = save_file_begin(q->options.save);
	if (file)
		json_put_line(save_file_stream(file), json_incref(document),
			      JSON_COMPACT | JSON_REAL_PRECISION(15));
	status = file ? save_file_end(file) : EXIT_FAILED;
	json_decref(document);
	return status ? TROUBLE : COMPARED;
}

/* ---- comparing --------------------------------------------------------------------------- */

/* Returns the instructions of the longer trace / 200, so that a picture shows them all. */
static uint64_t interval_of(const struct result *results)
{
	enum { INTERVALS = 200, LEAST = 1000 };
	struct metric instructions;
	uint64_t most = 0;

	parse_metric("instructions", strlen("instructions"), &instructions);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t total;

		if (result_total(&results[i], &instructions, &total) && total > most)
			most = total;
	}
	return most / INTERVALS > LEAST ? most / INTERVALS : LEAST;
}

struct phases {
	struct intervals intervals[2];
	struct alignment alignment;
};

static bool compare_phases(struct phases *phases, const struct matching *m)
{
	uint64_t interval = interval_of(m->results);
	struct dimensions dimensions = { 0 };
	bool read = true;

	for (unsigned side = 0; side < 2 && read; side++)
		read = read_intervals(&phases->intervals[side], m->results[side].file, interval, m,
				      side, &dimensions);
	TABLE_FREE(dimensions);
	if (read)
		phases->alignment = align_intervals(&phases->intervals[0], &phases->intervals[1]);
	return read;
}

/* Opens the file of --output, unless that option is not given. Returns false after a message. */
static bool open_output(const struct options *o, struct save_file **file)
{
	*file = NULL;
	if (!o->output)
		return true;
	if (!would_overwrite_input(o->output) && !is_dangling(o->output))
		*file = save_file_begin(o->output);
	return *file;
}

/* Writes each table to a file of the folder, and frees the report. */
static int write_tables(struct report *report, const char *folder)
{
	int status = make_folder(folder) || save_tables(report, folder) ? TROUBLE : COMPARED;

	report_free(report);
	return status;
}

static int write_report(const struct request *q, const struct comparison *c)
{
	const struct options *o = &q->options;
	bool to_folder = names_folder(o->output);
	struct save_file *file = NULL;
	struct report *report;

	if (!to_folder && !open_output(o, &file))
		return TROUBLE;
	report = report_begin(file ? save_file_stream(file) : stdout, o->format);
	view_comparison(c, report);
	if (report_select(report, o->tables.table)) {
		report_free(report);
		save_file_drop(file);
		return TROUBLE;
	}
	if (to_folder)
		return write_tables(report, o->output);
	report_fit(report, &o->tables, file ? save_file_stream(file) : stdout);
	report_end(report);
	if (file)
		return save_file_end(file) ? TROUBLE : COMPARED;
	return command_close_stdout() ? TROUBLE : COMPARED;
}

static void warn_of_recordings(const struct recording_differences *differences)
{
	if (differences->count)
		command_warning("the traces were recorded differently; see recorded_differently");
}

/*
 * Returns the metrics that both results have: some traces have no addresses. Says which ones are
 * left out, if the user has named them.
 */
static struct metrics known_metrics(const struct request *q, const struct result *results)
{
	struct metrics known = { 0 };
	uint64_t total;

	for (size_t i = 0; i < q->metrics.count; i++)
		if (result_total(&results[0], &q->metrics.at[i], &total) &&
		    result_total(&results[1], &q->metrics.at[i], &total))
			add_metric(&known, &q->metrics.at[i]);
		else if (q->options.metrics)
			command_warning("%s is not compared: not both traces have it",
					q->metrics.at[i].name);
	return known;
}

static int compare_results(const struct request *q, const struct result *results,
			   struct texts *texts)
{
	const struct options *o = &q->options;
	struct phases phases = { 0 };
	struct verdict verdict = { 0 };
	struct path_pairs paths = { 0 };
	struct advice_pairs advice = { 0 };
	struct recording_differences recordings = compare_recordings(results);
	bool with_phases = !o->no_phases && !o->region && !o->filtered && !o->modules &&
			   !results[0].is_saved && !results[1].is_saved;
	struct metrics metrics = known_metrics(q, results);
	struct matching matching;
	int status = TROUBLE;

	match_functions(&matching, results);
	if (!o->no_paths)
		paths = join_paths(&matching);
	if (!o->no_advice)
		advice = compare_advice(results, texts);
	if (judge(&verdict, &matching, &q->limits, &q->function_limits) &&
	    (!with_phases || compare_phases(&phases, &matching))) {
		const struct comparison comparison = {
			.metrics = &metrics,
			.matching = &matching,
			.paths = o->no_paths ? NULL : &paths,
			.intervals = phases.intervals,
			.alignment = with_phases ? &phases.alignment : NULL,
			.advice = o->no_advice ? NULL : &advice,
			.recordings = &recordings,
			.verdict = o->limits || o->function_limits ? &verdict : NULL,
			.top = o->top,
			.texts = texts,
		};

		status = write_report(q, &comparison);
		warn_of_recordings(&recordings);
		explain_verdict(&verdict, &matching);
		if (!status && verdict.excesses.count)
			status = EXCEEDED;
	}
	free(metrics.at);
	TABLE_FREE(paths);
	free(advice.at);
	free(verdict.excesses.at);
	recording_differences_free(&recordings);
	free(phases.alignment.steps.at);
	free_intervals(&phases.intervals[0]);
	free_intervals(&phases.intervals[1]);
	matching_free(&matching);
	return status;
}

static int compare(const struct request *q)
{
	json_t *documents[2] = { NULL, NULL };
	struct result results[2] = { 0 };
	struct texts texts = { 0 };
	bool saved[2] = { false, false };
	int status = TROUBLE;
	bool read = get_documents(q, documents, saved);

	for (unsigned i = 0; i < 2; i++) {
		if (!read) {
			json_decref(documents[i]);
			continue;
		}
		read = result_read(&results[i], q->files[i], documents[i], q->options.modules,
				   &texts);
		results[i].is_saved = saved[i];
	}
	if (read && results_are_comparable(results))
		status = compare_results(q, results, &texts);
	result_free(&results[0]);
	result_free(&results[1]);
	texts_free(&texts);
	return status;
}

int main(int argc, char **argv)
{
	struct request q = { .options = { .format = REPORT_TEXT, .top = 20 } };
	int status;

	command_init(trace_compare.name);
	status = command_parse(&trace_compare, &q.options, argc, argv);
	if (status != OPTION_DONE)
		return status;
	status = check_files(&q, argc, argv);
	if (!status)
		status = parse_lists(&q);
	if (!status)
		status = q.options.save ? save(&q) : compare(&q);
	free(q.metrics.at);
	free(q.measured.at);
	free(q.limits.at);
	free(q.function_limits.at);
	return status;
}
