/* SPDX-License-Identifier: MIT */
/* trace-analyze - finds an analyzer, an executable trace-NAME, and becomes it; or runs all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/analyze/analyzers.h"
#include "cli/analyze/run_all.h"
#include "cli/analyze/suite.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "cli/common/tracereport.h"

struct options {
	struct run_all how;
	struct suite_request suite;
	bool all, list;
};

#define AT(member) offsetof(struct options, member)

OPTION_PARSER(parse_submit)
{
	static const char words[] = "commands|slurm";
	unsigned choice;

	if (!parse_choice(text, words, &choice))
		return expected_choice(words);
	*(unsigned *)destination = SUBMIT_COMMANDS + choice;
	return NULL;
}

static const struct command_option options_table[] = {
	{ "all", 'a', NULL, "run all analyzers; each writes NAME.json and NAME.txt", option_flag,
	  AT(all) },
	{ "output", 'o', "DIR", "with --all: folder of the results (made if missing)", option_text,
	  AT(how.directory) },
	{ "jobs", 'j', "N", "with --all: analyzers at a time (default: all cores)", option_jobs,
	  AT(how.jobs) },
	{ "suite", 0, "LIST", "with --all: analyze all traces that LIST names", option_text,
	  AT(suite.list) },
	{ "only", 0, "NAMES", "with --suite: run only these analyzers", option_text,
	  AT(suite.submit.only) },
	{ "collect", 0, NULL, "with --suite: only make the tables, from old results", option_flag,
	  AT(suite.collect) },
	{ "part-size", 0, "N", NULL, option_positive, AT(suite.submit.part_size) },
	{ "submit", 0, "HOW", "with --suite: print commands, or submit to slurm", parse_submit,
	  AT(suite.submit.kind) },
	{ "dry-run", 0, NULL, NULL, option_flag, AT(suite.submit.dry_run) },
	{ "task", 0, "NAME", NULL, option_text, AT(suite.task) },
	{ "quiet", 'q', NULL, "with --all: show no progress", option_flag, AT(how.quiet) },
	{ "list", 'l', NULL, "list the analyzers, and the purpose of each", option_flag, AT(list) },
	{ "format", 0, "FMT", "of the list or summary: text (default), json or csv", option_format,
	  AT(how.format) },
	COMMAND_OPTIONS,
};

static const struct command trace_analyze = {
	.name = "trace-analyze",
	.usage = "ANALYZER [options] TRACE\n"
		 "--all TRACE -o DIR\n"
		 "--all --suite=LIST -o DIR\n"
		 "--list\n",
	.summary = "Run an analyzer, the program trace-ANALYZER, on a trace; or run all analyzers.",
	.options = options_table,
	.notes = "Analyzers are looked for in trace-analyze's own folder, then in PATH.\n"
		 "'trace-analyze ANALYZER --help' shows the options of one.",
	.example = "trace-analyze mix --format=json ls.trace",
	.operand_ends_options = true,
};

/* ---- all --------------------------------------------------------------------------------- */

static int list(enum report_format format)
{
	static const struct report_column columns[] = {
		{ "analyzer", REPORT_STRING, "" },
		{ "summary", REPORT_STRING, "" },
		{ "path", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	struct found_analyzers analyzers = find_analyzers();
	struct report *report = report_begin(stdout, format);

	ask_analyzers(&analyzers);
	report_table(report, "analyzers", columns);
	for (size_t i = 0; i < analyzers.count; i++)
		report_row(report, analyzers.at[i].name, analyzers.at[i].summary,
			   analyzers.at[i].path);
	report_end(report);
	free_analyzers(&analyzers);
	return command_close_stdout();
}

static int run_every(struct options *o)
{
	struct found_analyzers analyzers = find_analyzers();
	int status;

	if (!o->suite.task)
		ask_analyzers(&analyzers);
	if (o->suite.list) {
		o->suite.directory = o->how.directory;
		o->suite.format = o->how.format;
		o->suite.limits = (struct run_limits){ o->how.jobs, o->how.quiet };
		status = o->suite.task ? run_suite_task(&o->suite, &analyzers)
				       : run_suite(&o->suite, &analyzers);
	} else {
		status = run_all(&o->how, &analyzers);
	}
	free_analyzers(&analyzers);
	return status;
}

/* ---- one --------------------------------------------------------------------------------- */

/*
 * Returns Levenshtein's distance: the insertions, deletions and replacements between two strings.
 */
static size_t distance(const char *a, const char *b)
{
	enum { MAX = 63 };
	size_t row[MAX + 1];
	size_t width = strlen(b);

	if (width > MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j <= width; j++) {
			size_t best = diagonal + (a[i] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[width];
}

static const char *closest(const struct found_analyzers *analyzers, const char *name)
{
	const char *best = NULL;
	size_t least = strlen(name) / 2 + 1;

	for (size_t i = 0; i < analyzers->count; i++) {
		size_t changes = distance(name, analyzers->at[i].name);

		if (changes <= least && (!best || changes < least)) {
			least = changes;
			best = analyzers->at[i].name;
		}
	}
	return best;
}

static int run(char **arguments)
{
	const char *name = arguments[0];

	if (is_command_name(name))
		return command_usage_error("'%s' is not an analyzer; run trace-%s", name, name);
	struct found_analyzers analyzers = find_analyzers();

	for (size_t i = 0; i < analyzers.count; i++)
		if (!strcmp(analyzers.at[i].name, name)) {
			const char *path = analyzers.at[i].path;

			arguments[0] = text_format("trace-%s", name);
			execv(path, arguments);
			command_error("%s: %s", path, strerror(errno));
			return EXIT_FAILED;
		}
	const char *best = closest(&analyzers, name);

	if (best)
		command_error("there is no analyzer '%s'; did you mean '%s'?", name, best);
	else
		command_error("there is no analyzer '%s'", name);
	command_note("'trace-analyze --list' lists the analyzers");
	free_analyzers(&analyzers);
	return EXIT_USAGE;
}

/* ------------------------------------------------------------------------------------------ */

static bool has_suite_options(const struct options *o)
{
	return o->suite.submit.only || o->suite.collect || o->suite.task || o->suite.submit.kind ||
	       o->suite.submit.dry_run || o->suite.submit.part_size;
}

static int check_suite_options(const struct options *o, const char *extra)
{
	if (o->how.trace || extra)
		return command_usage_error("unexpected '%s': --suite=LIST names the traces",
					   o->how.trace ? o->how.trace : extra);
	if (!o->how.directory)
		return command_usage_error("--suite needs -o DIR for the results");
	if (o->suite.submit.dry_run && o->suite.submit.kind != SUBMIT_SLURM)
		return command_usage_error("--dry-run needs --submit=slurm");
	if ((o->suite.submit.kind != SUBMIT_NOTHING) + o->suite.collect + !!o->suite.task > 1)
		return command_usage_error("--submit, --collect and --task exclude each other");
	return 0;
}

static int check_all(const struct options *o, const char *extra)
{
	const struct run_all *how = &o->how;

	if (o->suite.list)
		return check_suite_options(o, extra);
	if (has_suite_options(o))
		return command_usage_error("--only, --part-size, --submit, --collect and --task "
					   "need --suite");
	if (!how->trace)
		return command_usage_error("--all: no trace given");
	if (extra)
		return command_usage_error(
			"--all takes one trace; '%s' is a second one (see --suite)", extra);
	if (is_standard_stream(how->trace))
		return command_usage_error(
			"--all reads the trace several times: name a file instead of -");
	if (!how->directory)
		return command_usage_error("--all needs -o DIR for the results");
	return 0;
}

/* Parses the options, and with --all also the trace, which other options may follow. */
static int parse(int argc, char **argv, struct options *o)
{
	int status = command_parse(&trace_analyze, o, argc, argv);

	if (status != OPTION_DONE || !o->all || optind == argc || o->how.trace)
		return status;
	o->how.trace = argv[optind++];
	return parse(argc, argv, o);
}

int main(int argc, char **argv)
{
	struct options o = { .how = { .format = REPORT_TEXT } };
	const struct run_all *how = &o.how;
	int status;

	command_init(trace_analyze.name);
	status = parse(argc, argv, &o);
	if (status != OPTION_DONE)
		return status;
	if (o.list)
		return optind == argc && !o.all
			       ? list(how->format)
			       : command_usage_error("--list takes neither an analyzer nor --all");
	if (o.all) {
		status = check_all(&o, argv[optind]);
		return status ? status : run_every(&o);
	}
	if (how->directory || how->jobs || how->quiet || o.suite.list || has_suite_options(&o))
		return command_usage_error("options of an analyzer follow its name");
	if (optind == argc)
		return command_usage_error("no analyzer given; --list lists them");
	return run(argv + optind);
}
