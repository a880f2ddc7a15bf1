/* SPDX-License-Identifier: MIT */
#include "analyzers/common/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/state_bytes.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"

#define AT(member)        offsetof(struct settings, member)
#define AT_TABLES(member) AT(tables.member)

/* Prints the summary of the analyzer to which destination points. */
OPTION_PARSER(option_summary)
{
	const struct analyzer *const *analyzer = destination;

	puts((*analyzer)->summary);
	return option_ends;
}

/* Parses the warm-up; the destination is uint64_t. */
OPTION_PARSER(option_warmup)
{
	uint64_t *warmup = destination;

	if (!strcmp(text, "auto"))
		*warmup = WARMUP_AUTO;
	else if (!strcmp(text, "no"))
		*warmup = 0;
	else if (!parse_count(text, warmup) || *warmup == WARMUP_AUTO)
		return "auto, no, or a number of instructions is expected";
	return NULL;
}

OPTION_PARSER(option_part)
{
	return part_choice_parse(destination, text);
}

OPTION_PARSER(option_also)
{
	struct also_options *also = destination;

	if (also->count == MAX_ALSO)
		return "too many results";
	also->texts[also->count++] = text;
	return NULL;
}

static const struct command_option shared_options[] = {
	{ "from", 0, "N", "begin at instruction N (default 0)", option_count, AT(from) },
	{ "count", 0, "N", "stop after N instructions", option_count, AT(count) },
	{ "thread", 0, "N", "only thread N, see trace-info", option_thread, AT(thread) },
	{ "process", 0, "PID", NULL, option_count, AT(process) },
	{ "function", 0, "NAME", NULL, option_text, AT(function) },
	{ "threads", 0, "merged|each|processes", "one result, or one for each thread or process",
	  option_choice, AT(threads) },
	{ "region", 0, "NAME", "only inside the region NAME", option_text, AT(region) },
	{ "filtered", 0, NULL, NULL, option_flag, AT(filtered) },
	{ "interval", 0, "N", "a result for every N instructions", option_positive, AT(interval) },
	{ "warmup", 0, "auto|no|N", NULL, option_warmup, AT(warmup) },
	{ "jobs", 'j', "N", "use N cores (default 1)", option_positive, AT(jobs) },
	{ "format", 0, "FMT", "text (default), json or csv", option_format, AT(format) },
	TABLE_OPTIONS(AT_TABLES),
	{ "output", 'o', "FILE", "write the result to FILE", option_text, AT(output) },
	{ "quiet", 'q', NULL, "no progress", option_flag, AT(quiet) },
	{ "part", 0, "I/N", NULL, option_part, AT(part) },
	{ "warmup-check", 0, NULL, NULL, option_flag, AT(warmup_check) },
	{ "partial", 0, "FILE", NULL, option_text, AT(partial) },
	{ "summary", 0, NULL, NULL, option_summary, AT(analyzer) },
	COMMAND_OPTIONS,
};

/* Options that trace-analyze, trace-report and trace-merge give. */
static const struct command_option batch_options[] = {
	{ "results", 0, "NAME", NULL, option_text, AT(results) },
	{ "also", 0, "OPTIONS", NULL, option_also, AT(also) },
	{ "merge-parts", 0, "TRACE", NULL, option_text, AT(trace) },
	{ "merge-incomplete", 0, NULL, NULL, option_flag, AT(incomplete) },
	{ "merge-shares", 0, "N", NULL, option_positive, AT(shares) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};

static bool has_option(const struct command_option *options, const char *name)
{
	for (; options && options->name; options++)
		if (!strcmp(options->name, name))
			return true;
	return false;
}

/* Returns true if an analyzer has the shared option. */
static bool is_offered(const struct analyzer *analyzer, const struct command_option *option)
{
	bool needs_row = option->offset == AT(interval) || option->offset == AT(threads);
	bool needs_save = option->offset == AT(part) || option->offset == AT(partial);

	if ((needs_row && !analyzer->row) || (needs_save && !state_can_save(analyzer)))
		return false;
	if (option->offset == AT(warmup_check) && !analyzer->compare)
		return false;
	if (option->offset == AT(function) && analyzer->follows_calls)
		return false;
	if (option->offset == AT(also) && !analyzer->also)
		return false;
	return !has_option(analyzer->options, option->name);
}

static struct option_list list_options(const struct analyzer *analyzer, struct settings *settings,
				       void *own)
{
	struct option_list list = { .count = 0 };

	for (const struct command_option *o = analyzer->options; o && o->name; o++)
		option_list_add(&list, o, own, false);
	for (const struct command_option *o = shared_options; o->name; o++)
		if (is_offered(analyzer, o))
			option_list_add(&list, o, settings, false);
	for (const struct command_option *o = batch_options; o->name; o++)
		if (is_offered(analyzer, o))
			option_list_add(&list, o, settings, true);
	return list;
}

/* ---- options on which the state depends ---------------------------------------------------- */

/* The options of every analyzer that choose what is fed. */
static const char *const choosing[] = { "from",         "count",        "thread", "warmup",
					"warmup-check", "merge-shares", NULL };

static bool is_one_of(const char *const *names, const char *name)
{
	while (names && *names && strcmp(*names, name))
		names++;
	return names && *names;
}

/* Asks for the values of these options as they are typed. values: by number of the option. */
static void ask_values(const struct analyzer *analyzer, struct option_list *list,
		       struct given_values *values)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *name = list->items[i].option->name;

		if (is_one_of(choosing, name) || is_one_of(analyzer->state_options, name))
			list->items[i].given = &values[i];
	}
}

static bool is_repeated(const struct given_values *values, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(values->at[k], values->at[i]))
			return true;
	return false;
}

/* Returns a line "NAME=VALUE", or "NAME", for each option, and each of its values. */
static char *list_values(const struct option_list *list, const struct given_values *values)
{
	char *text;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < values[i].count; k++)
			if (!is_repeated(&values[i], k))
				fprintf(out, "%s%s%s\n", list->items[i].option->name,
					*values[i].at[k] ? "=" : "", values[i].at[k]);
	fclose(out);
	return text;
}

/* Returns true if parts are shares of the work, and not ranges. */
static bool has_shares(const struct settings *settings)
{
	const struct analyzer *analyzer = settings->analyzer;
	bool warms_up = settings->warmup && settings->warmup != WARMUP_AUTO;

	return analyzer->shares && !(analyzer->compare && warms_up);
}

/* Adds the number of parts to the options on which the state depends. */
static void add_shares(struct settings *settings)
{
	char *options = settings->state_options;

	settings->shares = settings->part.n_parts;
	settings->state_options = text_format("%smerge-shares=%" PRIu64 "\n", options,
					      settings->shares);
	free(options);
}

/* ---- operands ----------------------------------------------------------------------------- */

/* Takes the trace, or the files to be merged. */
static int take_operands(int argc, char **argv, struct settings *settings)
{
	settings->merge = settings->trace;
	if (!settings->merge)
		return all_traces(argc, argv, &settings->traces, &settings->n_traces);
	settings->traces = &settings->trace;
	settings->n_traces = 1;
	if (!state_can_save(settings->analyzer))
		return command_usage_error("%s has no partial results", settings->analyzer->name);
	if (optind == argc)
		return command_usage_error("no partial results given");
	if (has_shares(settings) && !settings->shares) {
		command_error("%s: its options lack the number of parts; make the part again",
			      argv[optind]);
		return EXIT_FAILED;
	}
	settings->parts = (const char *const *)argv + optind;
	settings->n_parts = (size_t)(argc - optind);
	return OPTION_DONE;
}

/* Refuses options that go only with, or without, a part. */
static int check_parts(const struct settings *settings)
{
	bool is_part = settings->part.n_parts || settings->merge;

	if (settings->part.n_parts && !settings->partial)
		return command_usage_error("--part needs --partial=FILE for its result");
	if (settings->partial && !is_part)
		return command_usage_error("--partial needs --part=I/N");
	if (settings->warmup_check &&
	    (!is_part || !settings->warmup || settings->warmup == WARMUP_AUTO))
		return command_usage_error("--warmup-check needs --part=I/N and --warmup=N");
	if (!is_part)
		return OPTION_DONE;
	if (settings->region || settings->filtered || settings->interval ||
	    settings->threads != THREADS_MERGED || (settings->results && !settings->merge) ||
	    settings->function || settings->process != UINT64_MAX)
		return command_usage_error("--part excludes --region, --filtered, --interval, "
					   "--process, --function and --threads=each");
	if (settings->n_traces > 1)
		return command_usage_error("more than one trace given: '%s' and '%s'",
					   settings->traces[0], settings->traces[1]);
	if (settings->partial && settings->output)
		return command_usage_error("--partial excludes --output");
	return OPTION_DONE;
}

/* Refuses options of more results where there cannot be several. */
static int check_also(const struct settings *settings)
{
	if (!settings->also.count)
		return OPTION_DONE;
	if (settings->format != REPORT_JSON && !settings->results)
		return command_usage_error("--also needs --format=json or --results");
	if (settings->n_traces > 1 || settings->part.n_parts || settings->merge ||
	    settings->threads != THREADS_MERGED || settings->interval)
		return command_usage_error("--also excludes several traces, --part, --interval "
					   "and --threads=each");
	return OPTION_DONE;
}

int parse_options(const struct analyzer *analyzer, int argc, char **argv, struct settings *settings,
		  void *own)
{
	struct option_list list = list_options(analyzer, settings, own);
	char *summary = text_format("%c%s.", toupper(analyzer->summary[0]), analyzer->summary + 1);
	struct command command = {
		.name = analyzer->name,
		.usage = analyzer->writes_files ? "[OPTION]... TRACE" : "[OPTION]... TRACE...",
		.summary = summary,
		.example = analyzer->example,
	};
	struct given_values *values = checked_array(MAX_OPTIONS, sizeof(*values));
	int status;

	*settings = (struct settings){
		.analyzer = analyzer,
		.count = UINT64_MAX,
		.thread = UINT64_MAX,
		.process = UINT64_MAX,
		.jobs = 1,
		.warmup = WARMUP_AUTO,
	};
	if (analyzer->options_size && analyzer->defaults)
		memcpy(own, analyzer->defaults, analyzer->options_size);
	optind = 0;
	ask_values(analyzer, &list, values);
	status = command_parse_list(&command, &list, argc, argv);
	free(summary);
	settings->state_options = list_values(&list, values);
	for (size_t i = 0; i < list.count; i++)
		free(values[i].at);
	free(values);
	if (has_shares(settings) && settings->part.n_parts)
		add_shares(settings);
	if (status == OPTION_DONE)
		status = take_operands(argc, argv, settings);
	if (status == OPTION_DONE)
		status = check_parts(settings);
	return status == OPTION_DONE ? check_also(settings) : status;
}

/* Divides a text at its blanks, which it overwrites. Returns how many words are before the NULL. */
static int divide(char *text, char **words, int most)
{
	char *word;
	int count = 0;

	while (count < most && (word = strsep(&text, " ")))
		if (*word)
			words[count++] = word;
	words[count] = NULL;
	return count;
}

int parse_also(const struct analyzer *analyzer, const char *text, void *own, uint64_t *interval,
	       char **words)
{
	enum { MOST_WORDS = 32 };
	struct settings settings = { .analyzer = analyzer };
	struct option_list list = { .count = 0 };
	struct command command = { .name = analyzer->name, .usage = "", .summary = "" };
	char *argv[MOST_WORDS + 2] = { (char *)analyzer->name };
	int argc, status;

	for (const struct command_option *o = analyzer->options; o && o->name; o++)
		option_list_add(&list, o, own, false);
	for (const struct command_option *o = shared_options; o->name; o++)
		if (o->offset == AT(interval) && is_offered(analyzer, o))
			option_list_add(&list, o, &settings, false);
	if (analyzer->options_size && analyzer->defaults)
		memcpy(own, analyzer->defaults, analyzer->options_size);
	*words = checked_copy(text);
	argc = 1 + divide(*words, argv + 1, MOST_WORDS);
	optind = 0;
	status = command_parse_list(&command, &list, argc, argv);
	*interval = settings.interval;
	if (status == OPTION_DONE && optind < argc)
		return command_usage_error("--also=%s: '%s' is no option", text, argv[optind]);
	return status == OPTION_DONE ? 0 : status;
}

/* ---- the parsers of all commands under the names that libanalyzer exports ---------------- */

#define EXPORT_PARSER(name)                                                                 \
	const char *analyzer_##name(const struct command_option *option, void *destination, \
				    const char *text)                                       \
	{                                                                                   \
		return name(option, destination, text);                                     \
	}

EXPORT_PARSER(option_flag)
EXPORT_PARSER(option_count)
EXPORT_PARSER(option_positive)
EXPORT_PARSER(option_size)
EXPORT_PARSER(option_text)
EXPORT_PARSER(option_choice)

const char *analyzer_option_expects(const struct command_option *option)
{
	return option_expects(option);
}

bool analyzer_parse_count(const char *text, uint64_t *value)
{
	return parse_count(text, value);
}

bool analyzer_parse_size(const char *text, uint64_t *value)
{
	return parse_size(text, value);
}
