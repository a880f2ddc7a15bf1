/* SPDX-License-Identifier: MIT */
/* trace-verify - checks everything in a trace that can be checked, and reports losses. */
#include <inttypes.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/memory_watch.h"
#include "cli/common/option_parsers.h"
#include "cli/common/trace_input.h"
#include "cli/common/tracereport.h"
#include "cli/verify/decode_check.h"
#include "cli/verify/manifest_check.h"
#include "traceformat/traceformat.h"

struct options {
	bool quiet, decode;
	const char *manifest;
	enum report_format format;
};

#define AT(member) offsetof(struct options, member)

static const struct command_option options_table[] = {
	{ "decode", 0, NULL, "decode all code with Zydis and capstone, and compare", option_flag,
	  AT(decode) },
	{ "manifest", 0, "FILE", "compare the files in FILE's folder with FILE", option_text,
	  AT(manifest) },
	{ "format", 0, "FMT", "text (default), json or csv", option_format, AT(format) },
	{ "quiet", 'q', NULL, "print no summary", option_flag, AT(quiet) },
	COMMAND_OPTIONS,
};

static const struct command trace_verify = {
	.name = "trace-verify",
	.usage = "[options] TRACE...\n--manifest=FILE [options]\n",
	.summary = "Check every checksum of a trace, decode every chunk, compare all totals.\n"
		   "TRACE may be - for standard input. Faults are reported on standard error.",
	.options = options_table,
	.notes = "Exit status: 0 undamaged; 1 damaged, unfinished or unreadable; 2 usage.",
	.example = "trace-verify *.trace",
};

#define TRACE_COLUMNS                                                             \
	{ "file", REPORT_STRING, "" }, { "state", REPORT_STRING, "" },            \
		{ "faults", REPORT_U64, "" }, { "sections", REPORT_U64, "" },     \
		{ "sections_lost", REPORT_U64, "" }, { "bytes", REPORT_U64, "" }, \
		{ "bytes_lost", REPORT_U64, "" },                                 \
	{                                                                         \
		"instructions", REPORT_U64, ""                                    \
	}

static const struct report_column columns[] = { TRACE_COLUMNS, { NULL, 0, NULL } };
static const struct report_column decode_columns[] = {
	TRACE_COLUMNS,
	{ "insns_decoded", REPORT_U64, "" },
	{ "stale", REPORT_U64, "" },
	{ "decoders_differ", REPORT_U64, "" },
	{ "capstone_errors", REPORT_U64, "" },
	{ "capstone_unknown", REPORT_U64, "" },
	{ NULL, 0, NULL },
};

static void put_fault(void *opaque, const struct tf_error *fault)
{
	(void)opaque;
	command_error("%s", fault->text);
}

static void put_difference(void *path, const char *text)
{
	command_error("%s: %s", (const char *)path, text);
}

static const struct report_column *columns_of(const struct options *options)
{
	return options->decode ? decode_columns : columns;
}

/* The result of checking one trace. */
struct verdict {
	int faults; /* number of faults; negative: the trace cannot be checked, see error */
	struct tf_error error;
	struct tf_info info;
	struct decode_counts decoded;
};

static struct verdict check_trace(const char *path, bool decode)
{
	struct verdict v = { 0 };
	struct tf_reader *reader = NULL;
	int status = open_trace_input(path, TRACE_WHOLE, &reader, &v.error);

	memory_watch_input(path);
	if (status >= 0)
		status = v.faults = tf_verify(reader, put_fault, NULL, &v.error);
	if (status >= 0)
		status = tf_get_info(reader, &v.info, &v.error);
	if (status >= 0 && decode)
		status = decode_check(reader, put_difference, (void *)path, &v.decoded, &v.error);
	tf_close(reader);
	if (status < 0)
		v.faults = status;
	return v;
}

static void put_row(struct report *report, const char *path, const struct verdict *v)
{
	const struct tf_info *info = &v->info;
	const struct decode_counts *decoded = &v->decoded;
	const char *state = !info->closed                  ? "not closed"
			    : v->faults || !info->complete ? "damaged"
							   : "good";

	/* the columns of --decode are the last ones */
	report_row_of_cells(report, REPORT_CELLS(path, state, (uint64_t)v->faults,
						 (uint64_t)info->n_sections,
						 (uint64_t)info->n_sections_lost, info->file_size,
						 info->bytes_lost, info->totals.instructions,
						 decoded->insns, decoded->stale, decoded->differ,
						 decoded->excused, decoded->one));
}

/*
 * Checks a trace, and adds a row to the report (NULL: none) unless the trace cannot be checked.
 * *begun tells whether the report has its table already.
 */
static int verify(const char *path, const struct options *options, struct report *report,
		  bool *begun)
{
	struct verdict v = check_trace(path, options->decode);

	if (v.faults < 0) {
		command_error("%s", v.error.text);
		return EXIT_FAILED;
	}
	if (report && !*begun)
		report_table(report, "traces", columns_of(options));
	*begun = true;
	if (report)
		put_row(report, path, &v);
	return v.faults || !v.info.complete || v.decoded.stale || v.decoded.differ ? EXIT_FAILED
										   : EXIT_DONE;
}

static int verify_manifest(const struct options *options, int argc)
{
	struct report *report;
	int result, written;

	if (optind < argc || options->decode)
		return command_usage_error("--manifest cannot be combined with traces or --decode");
	report = options->quiet ? NULL : report_begin(stdout, options->format);
	result = manifest_check(options->manifest, report);
	if (report)
		report_end(report);
	written = command_close_stdout();
	return result == EXIT_DONE ? written : result;
}

int main(int argc, char **argv)
{
	struct options options = { .format = REPORT_TEXT };
	bool begun = false;
	int result = EXIT_DONE, status;

	command_init(trace_verify.name);
	status = command_parse(&trace_verify, &options, argc, argv);
	if (status != OPTION_DONE)
		return status;
	if (options.manifest)
		return verify_manifest(&options, argc);
	if (optind == argc)
		return command_usage_error("no trace given");
	struct report *report = options.quiet ? NULL : report_begin(stdout, options.format);

	if (report && options.format == REPORT_JSON) { /* always has the member "traces" */
		report_table(report, "traces", columns_of(&options));
		begun = true;
	}
	for (int i = optind; i < argc; i++)
		if (verify(argv[i], &options, report, &begun) != EXIT_DONE)
			result = EXIT_FAILED;
	if (report)
		report_end(report);
	int written = command_close_stdout();

	return result == EXIT_DONE ? written : result;
}
