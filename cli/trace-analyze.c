/* SPDX-License-Identifier: MIT */
/* trace-analyze - finds an analyzer, an executable trace-NAME, and becomes it; or runs all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/analyze/analyzers.h"
#include "cli/analyze/run_all.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/common/tracereport.h"

static const char help[] =
	"Usage: trace-analyze ANALYZER [options] TRACE\n"
	"       trace-analyze --all TRACE -o DIR\n"
	"       trace-analyze --list\n"
	"Run an analyzer, the program trace-ANALYZER, on a trace; or all that there are.\n"
	"\n"
	"  -a, --all          run all, and leave NAME.json and NAME.txt of each in DIR\n"
	"  -o, --output=DIR   of --all: where results go; made if it is not there\n"
	"  -j, --jobs=N       of --all: analyzers at a time (default: as many as cores)\n"
	"  -q, --quiet        of --all: no progress\n"
	"  -l, --list         list the analyzers, with what each does\n"
	"      --format=FMT   of the list or summary: text (default), json or csv\n"
	"  -h, --help         show this help\n"
	"  -V, --version      show versions\n"
	"\n"
	"Analyzers are looked for in trace-analyze's own folder, then in PATH.\n"
	"'trace-analyze ANALYZER --help' shows the options of one.\n"
	"\n"
	"Example: trace-analyze mix --format=json ls.trace\n";

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
		report_row(report, analyzers.items[i].name, analyzers.items[i].summary,
			   analyzers.items[i].path);
	report_end(report);
	free_analyzers(&analyzers);
	return command_close_stdout();
}

static int run_every(const struct run_all *how)
{
	struct found_analyzers analyzers = find_analyzers();
	int status;

	ask_analyzers(&analyzers);
	status = run_all(how, &analyzers);
	free_analyzers(&analyzers);
	return status;
}

/* ---- one --------------------------------------------------------------------------------- */

/* Returns Levenshtein's distance: the insertions, deletions and replacements between two strings. */
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
		size_t changes = distance(name, analyzers->items[i].name);

		if (changes <= least && (!best || changes < least)) {
			least = changes;
			best = analyzers->items[i].name;
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
		if (!strcmp(analyzers.items[i].name, name)) {
			const char *path = analyzers.items[i].path;

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

static int check_all(const struct run_all *how, const char *extra)
{
	if (!how->trace)
		return command_usage_error("--all: which trace?");
	if (extra)
		return command_usage_error("--all: one trace at a time: what is '%s'?", extra);
	if (is_standard_stream(how->trace))
		return command_usage_error("--all reads the trace many times: name a file");
	if (!how->directory)
		return command_usage_error("--all needs -o DIR, where results go");
	return 0;
}

/* Parses the options, and with --all also the trace. */
static int parse(int argc, char **argv, struct run_all *how, bool *all, bool *listing)
{
	static const struct option long_options[] = { { "all", no_argument, NULL, 'a' },
						      { "output", required_argument, NULL, 'o' },
						      { "jobs", required_argument, NULL, 'j' },
						      { "quiet", no_argument, NULL, 'q' },
						      { "list", no_argument, NULL, 'l' },
						      REPORT_OPTIONS };
	uint64_t jobs;
	int option, status;

	while ((option = next_option(argc, argv, "+ao:j:ql" COMMON_LETTERS, long_options)) != -1)
		switch (option) {
		case 'a': *all = true; break;
		case 'o': how->directory = optarg; break;
		case 'j':
			if (!parse_count(optarg, &jobs) || !jobs || jobs > 1024)
				return command_usage_error("--jobs=%s: not a number from 1 to 1024",
							   optarg);
			how->jobs = (unsigned)jobs;
			break;
		case 'q': how->quiet = true; break;
		case 'l': *listing = true; break;
		default:
			status = common_option(option, help, &how->format);
			if (status != OPTION_DONE)
				return status;
		}
	if (!*all || optind == argc || how->trace)
		return OPTION_DONE;
	how->trace = argv[optind++];
	return parse(argc, argv, how, all, listing);
}

int main(int argc, char **argv)
{
	struct run_all how = { .format = REPORT_TEXT };
	bool all = false, listing = false;
	int status;

	command_init("trace-analyze");
	status = parse(argc, argv, &how, &all, &listing);
	if (status != OPTION_DONE)
		return status;
	if (listing)
		return optind == argc && !all
			       ? list(how.format)
			       : command_usage_error("--list takes neither an analyzer nor --all");
	if (all) {
		status = check_all(&how, argv[optind]);
		return status ? status : run_every(&how);
	}
	if (how.directory || how.jobs || how.quiet)
		return command_usage_error("options of an analyzer follow its name");
	if (optind == argc)
		return command_usage_error("no analyzer given; --list lists them");
	return run(argv + optind);
}
