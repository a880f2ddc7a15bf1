/* SPDX-License-Identifier: MIT */
/* trace-join - makes one trace of several traces of one run. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/memory_watch.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/trace_input.h"
#include "cli/common/tracereport.h"
#include "cli/common/unfinished.h"
#include "traceformat/tracewriter.h"

struct options {
	const char *to;
	bool force, quiet, unrelated;
	mode_t mode;
	enum report_format format;
};

#define AT(member) offsetof(struct options, member)

static const struct command_option options_table[] = {
	{ "output", 'o', "OUT", "the trace to make", option_text, AT(to) },
	{ "unrelated", 0, NULL, "also join traces of other machines, or with equal pids",
	  option_flag, AT(unrelated) },
	{ "force", 0, NULL, "replace OUT if it exists", option_flag, AT(force) },
	{ "mode", 0, "MODE", "permissions of OUT, octal (default 0600)", option_trace_mode,
	  AT(mode) },
	{ "format", 0, "FMT", "of the summary: text (default), json or csv", option_format,
	  AT(format) },
	{ "quiet", 'q', NULL, "print no summary", option_flag, AT(quiet) },
	COMMAND_OPTIONS,
};

static const struct command trace_join = {
	.name = "trace-join",
	.usage = "[options] -o OUT TRACE...",
	.summary = "Make one trace OUT of traces of one run: of processes that were recorded\n"
		   "separately, or of slices of one trace.",
	.options = options_table,
	.notes = "Exit status: 0 done, 1 failure, 2 usage.",
	.example = "trace-join -o run.trace server.trace client.trace",
};

/* The traces to join. */
struct inputs {
	char **paths;
	size_t n;
	struct tf_reader **readers;
	struct tf_totals totals; /* of all */
	uint64_t bytes;
};

static int open_inputs(struct inputs *in, struct tf_error *error)
{
	int status = 0;

	for (size_t i = 0; i < in->n && status == 0; i++) {
		struct tf_info info;

		memory_watch_input(in->paths[i]);
		status = open_trace_input(in->paths[i], TRACE_WHOLE, &in->readers[i], error);
		if (status == 0)
			status = tf_get_info(in->readers[i], &info, error);
		if (status == 0)
			in->totals.instructions += info.totals.instructions;
		if (status == 0)
			in->bytes += info.file_size;
	}
	return status;
}

static void put_summary(const struct options *o, const char *path, const struct inputs *in,
			const struct tf_join *join)
{
	struct report *report = report_begin(is_standard_stream(o->to) ? stderr : stdout,
					     o->format);
	struct stat file;

	report_string(report, "file", o->to);
	report_u64(report, "traces", "", in->n);
	report_u64(report, "instructions", "", in->totals.instructions);
	report_string(report, "join_order", join->by_times ? "times" : "parts");
	if (join->unknown_events)
		report_u64(report, "unknown_events", "", join->unknown_events);
	report_u64(report, "bytes_before", "", in->bytes);
	if (stat(path, &file) == 0 && S_ISREG(file.st_mode))
		report_u64(report, "bytes", "", (uint64_t)file.st_size);
	report_end(report);
}

static int join(const struct options *o, char **paths, size_t n)
{
	const char *to = is_standard_stream(o->to) ? "/dev/stdout" : o->to;
	struct inputs in = { .paths = paths,
			     .n = n,
			     .readers = checked_array(n, sizeof(*in.readers)) };
	struct tf_join how = { .size = sizeof(how), .unrelated = o->unrelated };
	struct tf_error error;
	int status = open_inputs(&in, &error);

	if (status == 0) {
		struct unfinished *made = unfinished_file(to);

		status = tf_join(in.readers, n, &how, to, &error);
		unfinished_end(made);
	}
	for (size_t i = 0; i < n; i++)
		tf_close(in.readers[i]);
	free(in.readers);
	if (status < 0)
		command_error("%s", error.text);
	else if (how.unknown_events)
		command_warning("%s lacks events that only a later version knows: %" PRIu64, o->to,
				how.unknown_events);
	if (status == 0 && !o->quiet)
		put_summary(o, to, &in, &how);
	return status < 0 ? EXIT_FAILED : EXIT_DONE;
}

/* Checks that the traces and the output are different files. */
static int check_files(const struct options *o, char **paths, size_t n)
{
	unsigned piped = 0;

	for (size_t i = 0; i < n; i++)
		piped += is_standard_stream(paths[i]);
	if (piped > 1)
		return command_usage_error("only one trace can be standard input");
	for (size_t i = 0; i < n; i++) {
		int status = check_output_trace(paths[i], o->to, o->force);

		if (status != EXIT_DONE)
			return status;
	}
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct options o = { .format = REPORT_TEXT, .mode = TF_FILE_MODE };
	char **paths;
	int status;
	size_t n;

	command_init(trace_join.name);
	status = command_parse(&trace_join, &o, argc, argv);
	if (status != OPTION_DONE)
		return status;
	paths = argv + optind;
	n = (size_t)(argc - optind);
	if (!n)
		return command_usage_error("no trace given");
	if (!o.to)
		return command_usage_error("no output given; use -o OUT");
	status = check_files(&o, paths, n);
	if (status == EXIT_DONE)
		status = join(&o, paths, n);
	return end_output_trace(o.to, o.mode, status);
}
