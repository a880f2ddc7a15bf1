/* SPDX-License-Identifier: MIT */
#include "analyzers/common/options.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/quantity.h"

static const char *option_format(const struct analyzer_option *option, void *destination,
				 const char *text)
{
	return report_parse_format(text, destination) ? NULL : analyzer_option_expects(option);
}

static const char *option_thread(const struct analyzer_option *option, void *destination,
				 const char *text)
{
	uint32_t thread;

	(void)option;
	if (!parse_thread(text, &thread))
		return "not a thread's index";
	*(uint64_t *)destination = thread;
	return NULL;
}

#define AT(member) offsetof(struct settings, member)

static const struct analyzer_option shared_options[] = {
	{ "from", 0, "N", "begin at instruction N (default 0)", analyzer_option_count, AT(from) },
	{ "count", 0, "N", "stop after N instructions", analyzer_option_count, AT(count) },
	{ "thread", 0, "N", "only thread N, see trace-info", option_thread, AT(thread) },
	{ "threads", 0, "merged|each", "one result for all threads, or one for each",
	  analyzer_option_choice, AT(threads) },
	{ "region", 0, "NAME", "only inside the region NAME", analyzer_option_text, AT(region) },
	{ "interval", 0, "N", "a result for every N instructions", analyzer_option_positive,
	  AT(interval) },
	{ "jobs", 'j', "N", "use N cores (default 1)", analyzer_option_positive, AT(jobs) },
	{ "format", 0, "text|json|csv", "form of the result (default text)", option_format,
	  AT(format) },
	{ "output", 'o', "FILE", "write the result to FILE", analyzer_option_text, AT(output) },
	{ "results", 0, "NAME", NULL, analyzer_option_text, AT(results) },
	{ "quiet", 'q', NULL, "no progress", analyzer_option_flag, AT(quiet) },
	{ "help", 'h', NULL, "print this help", analyzer_option_flag, AT(help) },
	{ "version", 'V', NULL, "print the version", analyzer_option_flag, AT(version) },
	{ "summary", 0, NULL, "print what this analyzer does, in a line", analyzer_option_flag,
	  AT(summary) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};

static bool has_option(const struct analyzer_option *options, const char *name)
{
	for (; options && options->name; options++)
		if (!strcmp(options->name, name))
			return true;
	return false;
}

/* Returns true if an analyzer has the shared option. */
static bool is_offered(const struct analyzer *analyzer, const struct analyzer_option *option)
{
	bool needs_row = option->offset == AT(interval) || option->offset == AT(threads);

	if (needs_row && !analyzer->row)
		return false;
	return !has_option(analyzer->options, option->name);
}

/* ---- parsing ----------------------------------------------------------------------------- */

struct entry {
	const struct analyzer_option *option;
	void *base; /* of its offset */
};

enum { MAX_OPTIONS = 64, FIRST_LONG = 256 };

struct table {
	size_t count;
	struct entry entries[MAX_OPTIONS];
	struct option longs[MAX_OPTIONS + 1];
	char shorts[3 * MAX_OPTIONS + 2];
};

static int has_argument(const struct analyzer_option *option)
{
	if (!option->argument)
		return no_argument;
	return *option->argument == '[' ? optional_argument : required_argument;
}

static void add_option(struct table *table, const struct analyzer_option *option, void *base)
{
	static const char *const colons[] = { "", ":", "::" };
	size_t i = table->count;

	assert(i < MAX_OPTIONS);
	table->count++;
	table->entries[i] = (struct entry){ option, base };
	table->longs[i] = (struct option){ option->name, has_argument(option), NULL,
					   FIRST_LONG + (int)i };
	if (option->letter) {
		char *end = table->shorts + strlen(table->shorts);

		*end = option->letter;
		strcpy(end + 1, colons[has_argument(option)]);
	}
}

static const struct entry *find_option(const struct table *table, int key)
{
	if (key >= FIRST_LONG)
		return &table->entries[key - FIRST_LONG];
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].option->letter == key)
			return &table->entries[i];
	return NULL;
}

static int set_option(const struct entry *entry)
{
	const struct analyzer_option *option = entry->option;
	const char *wrong = option->parse(option, (char *)entry->base + option->offset, optarg);

	if (!wrong)
		return 0;
	return command_usage_error("--%s=%s: %s", option->name, optarg ? optarg : option->argument,
				   wrong);
}

int parse_options(const struct analyzer *analyzer, int argc, char **argv, struct settings *settings,
		  void *own)
{
	struct table table = { 0 };
	int key;

	*settings = (struct settings){ .count = UINT64_MAX, .thread = UINT64_MAX, .jobs = 1 };
	if (analyzer->options_size && analyzer->defaults)
		memcpy(own, analyzer->defaults, analyzer->options_size);
	for (const struct analyzer_option *o = analyzer->options; o && o->name; o++)
		add_option(&table, o, own);
	for (const struct analyzer_option *o = shared_options; o->name; o++)
		if (is_offered(analyzer, o))
			add_option(&table, o, settings);

	optind = 0;
	while ((key = next_option(argc, argv, table.shorts, table.longs)) >= 0) {
		int status = key == '?' ? command_bad_option()
					: set_option(find_option(&table, key));

		if (status)
			return status;
		if (settings->help || settings->version || settings->summary)
			return 0;
	}
	if (optind == argc)
		return command_usage_error("no trace given");
	if (optind + 1 < argc)
		return command_usage_error("more than one trace given: '%s'", argv[optind + 1]);
	settings->trace = argv[optind];
	return 0;
}

/* ---- help -------------------------------------------------------------------------------- */

static void print_option(const struct analyzer_option *option, FILE *out)
{
	enum { HELP_COLUMN = 29 };
	char names[64];
	char letter[] = { '-', option->letter, ',', ' ', 0 };
	int width = snprintf(names, sizeof(names), "  %s--%s%s%s", option->letter ? letter : "    ",
			     option->name, option->argument && *option->argument != '[' ? "=" : "",
			     option->argument ? option->argument : "");

	fprintf(out, "%s", names);
	if (width >= HELP_COLUMN)
		fprintf(out, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(out, "%*s", HELP_COLUMN - width, "");
	fprintf(out, "%s\n", option->help);
}

/* Prints the names of options for which --help has no line. */
static void print_others(const struct analyzer_option *options, FILE *out)
{
	enum { WIDTH = 80 };
	int column = 0;

	for (const struct analyzer_option *o = options; o->name; o++) {
		char letter[] = { '-', o->letter, ',', 0 };
		int width = (int)strlen(o->name) + (o->letter ? 6 : 3);

		if (o->help)
			continue;
		if (!column)
			column = fprintf(out, "  and, see the manual,");
		else if (column + width >= WIDTH)
			column = fprintf(out, "\n   ") - 1;
		column += fprintf(out, " %s--%s", o->letter ? letter : "", o->name);
	}
	if (column)
		fprintf(out, "\n");
}

void print_help(const struct analyzer *analyzer, FILE *out)
{
	fprintf(out, "Usage: %s [OPTION]... TRACE\n", analyzer->name);
	fprintf(out, "%c%s.\n\n", toupper(analyzer->summary[0]), analyzer->summary + 1);
	for (const struct analyzer_option *o = analyzer->options; o && o->name; o++)
		if (o->help)
			print_option(o, out);
	for (const struct analyzer_option *o = shared_options; o->name; o++)
		if (o->help && is_offered(analyzer, o))
			print_option(o, out);
	if (analyzer->options)
		print_others(analyzer->options, out);
	if (analyzer->example)
		fprintf(out, "\nExample: %s\n", analyzer->example);
}
