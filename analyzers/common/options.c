/* SPDX-License-Identifier: MIT */
#include "analyzers/common/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
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

static const struct command_option shared_options[] = {
	{ "from", 0, "N", "begin at instruction N (default 0)", option_count, AT(from) },
	{ "count", 0, "N", "stop after N instructions", option_count, AT(count) },
	{ "thread", 0, "N", "only thread N, see trace-info", option_thread, AT(thread) },
	{ "threads", 0, "merged|each", "one result for all threads, or one for each", option_choice,
	  AT(threads) },
	{ "region", 0, "NAME", "only inside the region NAME", option_text, AT(region) },
	{ "filtered", 0, NULL, "without code that synchronizes threads", option_flag,
	  AT(filtered) },
	{ "interval", 0, "N", "a result for every N instructions", option_positive, AT(interval) },
	{ "warmup", 0, "auto|no|N", "N instructions before are for warming up only", option_warmup,
	  AT(warmup) },
	{ "jobs", 'j', "N", "use N cores (default 1)", option_positive, AT(jobs) },
	{ "format", 0, "FMT", "text (default), json or csv", option_format, AT(format) },
	TABLE_OPTIONS(AT_TABLES),
	{ "output", 'o', "FILE", "write the result to FILE", option_text, AT(output) },
	{ "quiet", 'q', NULL, "no progress", option_flag, AT(quiet) },
	{ "summary", 0, NULL, NULL, option_summary, AT(analyzer) },
	COMMAND_OPTIONS,
};

/* Options that trace-analyze gives. */
static const struct command_option batch_options[] = {
	{ "results", 0, "NAME", NULL, option_text, AT(results) },
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

	if (needs_row && !analyzer->row)
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
		option_list_add(&list, o, settings, true);
	return list;
}

int parse_options(const struct analyzer *analyzer, int argc, char **argv, struct settings *settings,
		  void *own)
{
	struct option_list list = list_options(analyzer, settings, own);
	char *summary = text_format("%c%s.", toupper(analyzer->summary[0]), analyzer->summary + 1);
	struct command command = {
		.name = analyzer->name,
		.usage = "[OPTION]... TRACE",
		.summary = summary,
		.example = analyzer->example,
	};
	int status;

	*settings = (struct settings){
		.analyzer = analyzer,
		.count = UINT64_MAX,
		.thread = UINT64_MAX,
		.jobs = 1,
		.warmup = WARMUP_AUTO,
	};
	if (analyzer->options_size && analyzer->defaults)
		memcpy(own, analyzer->defaults, analyzer->options_size);
	optind = 0;
	status = command_parse_list(&command, &list, argc, argv);
	free(summary);
	return status == OPTION_DONE ? only_trace(argc, argv, &settings->trace) : status;
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
