/* SPDX-License-Identifier: MIT */
/* trace-import - makes a trace from samples and traces of other tools. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/progress.h"
#include "cli/common/tracereport.h"
#include "cli/common/unfinished.h"
#include "cli/import/import_job.h"
#include "cli/import/parts.h"
#include "recorder/import/import.h"

struct options {
	const char *from, *to;
	const char *kind; /* of --from */
	bool force, here, quiet;
	mode_t mode;
	enum report_format format;
};

#define AT(member) offsetof(struct options, member)

static const struct command_option options_table[] = {
	{ "from", 0, "FORMAT",
	  "drmemtrace, champsim, cloudsuite, sbbt, din or xdin (default: samples)", option_text,
	  AT(kind) },
	{ "output", 'o', "OUT", "the trace to make", option_text, AT(to) },
	{ "force", 0, NULL, "replace OUT if it exists", option_flag, AT(force) },
	{ "mode", 0, "MODE", "permissions of OUT, octal (default 0600)", option_trace_mode,
	  AT(mode) },
	{ "here", 0, NULL, "take names from this machine's modules and JIT maps", option_flag,
	  AT(here) },
	{ "format", 0, "FMT", "of the summary: text (default), json or csv", option_format,
	  AT(format) },
	{ "quiet", 'q', NULL, "print neither summary nor progress", option_flag, AT(quiet) },
	COMMAND_OPTIONS,
};

static const struct command trace_import = {
	.name = "trace-import",
	.usage = "[--from=FORMAT] [options] -o OUT FILE",
	.summary =
		"Make a trace of FILE, which another tool has written. Without --from, FILE has\n"
		"samples: perf.data, as perf record writes it to a file, a pipe or (--threads) a\n"
		"folder, or a file of AMD Research's IBS toolkit. FILE and OUT may be -.",
	.options = options_table,
	.notes = "Exit status: 0 done, 1 failure, 2 usage.",
	.example = "trace-import -o ls.trace perf.data",
};

static void put_summary(const struct options *options, const struct sample_counts *counts,
			uint64_t bytes)
{
	struct report *report = report_begin(is_standard_stream(options->to) ? stderr : stdout,
					     options->format);

	report_string(report, "file", options->to);
	report_u64(report, "samples", "", counts->samples);
	report_u64(report, "lost", "", counts->lost);
	report_u64(report, "throttled", "times", counts->throttled);
	report_u64(report, "left_out", "damaged records", counts->damaged);
	report_u64(report, "bytes", "", bytes);
	report_end(report);
}

static void put_executions(const struct options *options, const struct import_job *job,
			   uint64_t bytes)
{
	struct report *report = report_begin(is_standard_stream(options->to) ? stderr : stdout,
					     options->format);

	report_string(report, "file", options->to);
	report_u64(report, "instructions", "", job->instructions);
	report_u64(report, "records", "", job->records);
	for (enum import_loss i = 0; i < N_IMPORT_LOSSES; i++)
		if (job->lost[i] || options->format != REPORT_TEXT)
			report_u64(report, import_loss_name(i), "", job->lost[i]);
	report_u64(report, "bytes", "", bytes);
	report_end(report);
}

/* Imports executed instructions. */
static int run_executions(const struct options *options)
{
	const struct import_format *format = import_format(options->kind);
	struct import_job *job = checked_array(1, sizeof(*job));
	uint64_t bytes = 0;
	int result;

	job->from = options->from;
	job->to = options->to;
	job->quiet = options->quiet;
	result = import_executions(format, job, &bytes);
	if (bytes && !options->quiet)
		put_executions(options, job, bytes);
	free(job);
	return result;
}

static void show_progress(void *progress, uint64_t done, uint64_t total)
{
	((struct progress *)progress)->total = total;
	progress_update(progress, done);
}

/* Reports on stderr which samples the trace lacks. */
static void report_losses(const char *from, const struct sample_counts *counts)
{
	if (counts->killed)
		command_warning("%s: perf was ended before it finished; it is read to the end",
				from);
	if (counts->cut)
		command_error("%s: is cut: %" PRIu64 " bytes of its last records are missing or "
			      "left out",
			      from, counts->cut);
	else if (counts->damaged)
		command_warning("%s: %" PRIu64 " damaged records are left out", from,
				counts->damaged);
	if (counts->unknown)
		command_warning("%s: %" PRIu64 " records of unknown types (the first one: %" PRIu32
				") are left out",
				from, counts->unknown, counts->unknown_type);
}

/* Writes the trace, and removes the unfinished file on failure. */
static int import(const struct options *options, const struct import_source *source)
{
	struct tf_writer_options writer_options = { .size = sizeof(writer_options) };
	struct unfinished *made = unfinished_file(options->to);
	struct tf_writer *writer = NULL;
	struct sample_counts counts = { 0 };
	struct progress progress;
	struct import_watch watch = { show_progress, &progress };
	struct tf_error error;
	int status = tf_writer_create(options->to, &writer_options, &writer, &error);

	progress_begin(&progress, "importing", 0, options->quiet);
	if (status == 0)
		status = import_samples(writer, source, options->here, &watch, &counts, &error);
	progress_end(&progress);
	if (status == 0)
		status = tf_writer_finish(writer, -1, "imported", &error);
	if (status == 0)
		report_losses(options->from, &counts);
	if (status == 0 && !options->quiet)
		put_summary(options, &counts, tf_writer_size(writer));
	if (status < 0)
		command_error("%s", error.text);
	if (status < 0 && writer)
		unfinished_drop(made);
	else
		unfinished_end(made);
	tf_writer_free(writer);
	return status < 0 || counts.cut ? EXIT_FAILED : EXIT_DONE;
}

static int run(const struct options *options)
{
	struct parts parts;
	int result = EXIT_FAILED;

	if (options->kind)
		return run_executions(options);
	if (parts_read(&parts, options->from)) {
		struct import_source source = { options->from, parts.at, parts.count };

		result = import(options, &source);
		if (result == EXIT_DONE && parts_report_missing(&parts))
			result = EXIT_FAILED;
	}
	parts_free(&parts);
	return result;
}

/* Returns OPTION_DONE, or the exit code. */
static int parse(int argc, char **argv, struct options *options)
{
	int status = command_parse(&trace_import, options, argc, argv);

	if (status != OPTION_DONE)
		return status;
	if (argc - optind != 1)
		return command_usage_error(optind == argc ? "no file given"
							  : "more than one file given");
	if (!options->to)
		return command_usage_error("no output given; use -o OUT");
	if (options->kind && !import_format(options->kind))
		return command_usage_error("--from: %s is not a format; --help lists them",
					   options->kind);
	if (options->kind && options->here)
		return command_usage_error("--here is for samples, not for --from=%s",
					   options->kind);
	options->from = argv[optind];
	return OPTION_DONE;
}

int main(int argc, char **argv)
{
	struct options options = { .format = REPORT_TEXT, .mode = TF_FILE_MODE };
	int result;

	command_init(trace_import.name);
	result = parse(argc, argv, &options);
	if (result != OPTION_DONE)
		return result;
	result = check_output_trace(options.from, options.to, options.force);
	if (result == EXIT_DONE)
		result = run(&options);
	return end_output_trace(options.to, options.mode, result);
}
