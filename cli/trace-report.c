/* SPDX-License-Identifier: MIT */
/* trace-report - everything that the analyzers say of a trace, as one page or as charts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/json_values.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/save_file.h"
#include "cli/common/write_page.h"
#include "cli/report/advice.h"
#include "cli/report/collect.h"
#include "cli/report/parts.h"
#include "cli/report/reduce.h"
#include "cli/report/reference.h"
#include "cli/report/summary.h"
#include "cli/report/svg.h"

enum { MOST_BYTES = 3000000 }; /* of a page */

enum { MOST_SOURCES = 16 };

enum { FORMAT_HTML, FORMAT_SVG };

/* The parts that charts are made of. */
#define CHARTED "mix,calls,heap,syscalls,stackdist,cache,ibs,slo,mica,compare,phases"

struct options {
	bool force;
	unsigned format;
	const char *without; /* groups of parts, divided by commas; NULL: none */
	const char *sources[MOST_SOURCES];
	struct report_request request;
};

#define AT(member) offsetof(struct options, member)

OPTION_PARSER(parse_source)
{
	struct options *o = destination;

	if (o->request.n_sources == MOST_SOURCES)
		return "too many folders";
	o->sources[o->request.n_sources++] = text;
	return NULL;
}

static const struct command_option options_table[] = {
	{ "output", 'o', "FILE", "write the page to FILE, or charts to a folder", option_text,
	  AT(request.output) },
	{ "format", 0, "html|svg", "a page (default), or files with charts", option_choice,
	  AT(format) },
	{ "force", 0, NULL, "replace files that exist", option_flag, AT(force) },
	{ "only", 0, "LIST", "only these parts: mix, calls, slo, ...", option_text,
	  AT(request.only) },
	{ "without", 0, "LIST", "all parts but these", option_text, AT(without) },
	{ "machine", 'm', "NAME", "preset or file of the modelled machine", option_text,
	  AT(request.machine) },
	{ "source", 0, "DIR", "include source files below DIR in the page", parse_source, 0 },
	{ "reuse", 0, "DIR", "use the results of trace-analyze --all in DIR", option_text,
	  AT(request.results) },
	{ "passes", 0, NULL, NULL, option_flag, AT(request.only_plans) },
	{ "jobs", 'j', "N", "analyzers at a time (default: as many as cores)", option_jobs,
	  AT(request.jobs) },
	{ "quiet", 'q', NULL, "show no progress", option_flag, AT(request.quiet) },
	COMMAND_OPTIONS,
};

static const struct command trace_report = {
	.name = "trace-report",
	.usage = "[OPTION]... TRACE [OTHER-TRACE] -o FILE",
	.summary = "Write the results of all analyzers as one page for a browser, with the\n"
		   "differences from another trace; or write the charts as SVG and CSV files.",
	.options = options_table,
	.example = "trace-report -o ls.html ls.trace",
};

/* Refuses a folder of results that is none. */
static int check_results(const char *path)
{
	struct stat status;

	if (!path)
		return EXIT_DONE;
	if (stat(path, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			return EXIT_DONE;
		errno = ENOTDIR;
	}
	command_error("--reuse=%s: %m", path);
	return EXIT_FAILED;
}

/* Refuses a list of parts that has an unknown one. */
static int check_parts(const char *option, const char *list)
{
	char *unknown = list ? unknown_group(list) : NULL, *groups;

	if (!unknown)
		return EXIT_DONE;
	groups = all_groups();
	command_usage_error("%s: there is no part '%s'; there are %s", option, unknown, groups);
	free(groups);
	free(unknown);
	return EXIT_USAGE;
}

/* Makes --without a list of the parts that are left, which the caller frees. */
static int choose_parts(struct options *o, char **left)
{
	int status = check_parts("--only", o->request.only);

	if (!status)
		status = check_parts("--without", o->without);
	if (status || !o->without)
		return status;
	if (o->request.only)
		return command_usage_error("--only excludes --without");
	*left = groups_without(o->without);
	if (!**left)
		return command_usage_error("--without=%s: no part is left", o->without);
	return EXIT_DONE;
}

static int check(const struct options *o)
{
	int status = EXIT_DONE;

	if (!o->request.output && !o->request.only_plans) {
		status = command_usage_error("no output given; use -o FILE");
	} else if (o->request.output && o->request.only_plans) {
		status = command_usage_error("--passes excludes -o: there is no page");
	} else if (o->request.only && !o->request.other &&
		   group_is_listed(o->request.only, "compare")) {
		status = command_usage_error("--only=compare needs two traces");
	} else if (o->format == FORMAT_SVG && is_standard_stream(o->request.output)) {
		status = command_usage_error("--format=svg writes many files: name a folder");
	} else if (is_standard_stream(o->request.trace) ||
		   (o->request.other && is_standard_stream(o->request.other))) {
		status = command_usage_error(
			"the trace is read several times: name a file instead of -");
	}
	return status;
}

static int take_traces(int argc, char **argv, struct report_request *request)
{
	if (argc - optind < 1)
		return command_usage_error("no trace given");
	if (argc - optind > 2)
		return command_usage_error("at most two traces are compared; '%s' is a third one",
					   argv[optind + 2]);
	request->trace = argv[optind];
	request->other = argv[optind + 1]; /* NULL behind the last */
	return EXIT_DONE;
}

static int check_output(const struct options *o)
{
	int status;

	if (o->format == FORMAT_SVG) {
		status = check_chart_files(o->request.output, o->request.trace, o->force);
		if (!status && o->request.other)
			status = check_chart_files(o->request.output, o->request.other, o->force);
		return status;
	}
	if (is_standard_stream(o->request.output))
		return EXIT_DONE;
	status = check_output_trace(o->request.trace, o->request.output, o->force);
	if (!status && o->request.other)
		status = check_output_trace(o->request.other, o->request.output, o->force);
	return status;
}

/* Adds what the results say together. */
static void add_conclusions(json_t *document)
{
	char *summary = summary_of(document);

	json_member(document, "summary", json_text(summary));
	json_member(document, "advice", advice_of(document));
	json_member(document, "reference", reference_of(document));
	free(summary);
}

static int save(const struct options *o, const json_t *document)
{
	struct save_file *file;

	if (o->format == FORMAT_SVG)
		return write_charts(o->request.output, document);
	if (is_standard_stream(o->request.output)) {
		write_page(stdout, document);
		return command_close_stdout();
	}
	file = save_file_begin(o->request.output);
	if (!file)
		return EXIT_FAILED;
	write_page(save_file_stream(file), document);
	return save_file_end(file);
}

/* Prints the options with which analyzers are run. Returns an exit code. */
static int print_passes(const struct report_request *request)
{
	json_t *passes = checked(json_object());
	int status = list_passes(request, passes);

	if (status) {
		json_decref(passes);
		return status;
	}
	json_put_line(stdout, passes, JSON_INDENT(2));
	return command_close_stdout();
}

/* Writes the report. Returns an exit code. */
static int write_report(struct options *o)
{
	json_t *document = checked(json_object());
	bool unusable;
	int status;

	if (o->format == FORMAT_SVG && !o->request.only)
		o->request.only = CHARTED;
	o->request.has_sources = o->format == FORMAT_HTML;
	protect_input(o->request.trace);
	protect_input(o->request.other);
	json_member(document, "tracelab_report", json_number(1));
	json_member(document, "generator", json_word("tracelab " TRACELAB_VERSION));
	status = collect_results(&o->request, document, &unusable);
	if (!unusable) {
		add_conclusions(document);
		if (o->format == FORMAT_HTML)
			reduce_document(document, MOST_BYTES - page_size());
	}
	if (!unusable && save(o, document))
		status = EXIT_FAILED;
	json_decref(document);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	char *left = NULL;
	int status;

	command_init(trace_report.name);
	o.request.sources = o.sources;
	status = command_parse(&trace_report, &o, argc, argv);
	if (status != OPTION_DONE)
		return status;
	status = take_traces(argc, argv, &o.request);
	if (!status)
		status = choose_parts(&o, &left);
	if (!status)
		status = check(&o);
	if (!status)
		status = check_results(o.request.results);
	if (left)
		o.request.only = left;
	if (!status && o.request.only_plans) {
		status = print_passes(&o.request);
	} else {
		if (!status)
			status = check_output(&o);
		if (!status)
			status = write_report(&o);
	}
	free(left);
	return status;
}
