/* SPDX-License-Identifier: MIT */
/* trace-export - a trace in the formats of simulators and other tools. */
#include <sys/stat.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/drmemtrace.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/export/drmemtrace_shared.h"
#include "cli/export/export.h"
#include "cli/export/formats.h"
#include "traceformat/tracewriter.h"

OPTION_PARSER(parse_format_name)
{
	const struct exporter **format = destination;

	*format = export_format(text);
	return *format ? NULL : "no such format; trace-export --list lists them";
}

OPTION_PARSER(parse_chunk)
{
	return parse_count_within(text, DRMEMTRACE_MIN_CHUNK, UINT64_MAX, destination);
}

OPTION_PARSER(parse_version)
{
	return parse_count_within(text, DRMEMTRACE_VERSION_OUTCOMES, DRMEMTRACE_VERSION_RETIRED,
				  destination);
}

OPTION_PARSER(parse_seed)
{
	return parse_count_within(text, 0, DRMEMTRACE_NO_SEED - 1, destination);
}

OPTION_PARSER(list_formats)
{
	for (const struct exporter *const *f = export_formats; *f; f++)
		printf("%-14s %s\n", (*f)->name, (*f)->summary);
	return option_ends;
}

#define AT(member) offsetof(struct export_request, member)

static const struct command_option options_table[] = {
	{ "to", 0, "FORMAT", "the format to write; see --list", parse_format_name, AT(format) },
	{ "output", 'o', "OUT", "file (.gz, .xz, .bz2, .zst compress it) or folder", option_text,
	  AT(out) },
	{ "thread", 't', "N", "only thread N (default: a file for each)", option_thread,
	  AT(thread) },
	{ "from", 'f', "N", "begin at instruction N of a thread", option_count, AT(first) },
	{ "count", 'c', "N", "stop after N instructions of a thread", option_count, AT(count) },
	{ "region", 0, "NAME", "only inside the region NAME", option_text, AT(region) },
	{ "registers", 0, "whole|pin", "champsim: eax is rax (default), or not", option_choice,
	  AT(options.registers) },
	{ "operands", 0, "split|drop", NULL, option_second, AT(options.drop) },
	{ "rep", 0, "each|once", "repetitions of string instructions (each)", option_second,
	  AT(options.rep_once) },
	{ "split-lines", 0, "SIZE", NULL, option_size, AT(options.split_lines) },
	{ "period", 0, "TICKS", "gem5: time of an instruction (default 500)", option_positive,
	  AT(options.period) },
	{ "drmemtrace-version", 0, "7|6|5", NULL, parse_version, AT(options.version) },
	{ "chunk", 0, "N", "drmemtrace: instructions in a part (default 10M)", parse_chunk,
	  AT(options.chunk) },
	{ "no-compression", 0, NULL, NULL, option_flag, AT(options.plain) },
	{ "syscall-args", 0, NULL, NULL, option_flag, AT(options.syscall_args) },
	{ "functions", 0, NULL, NULL, option_flag, AT(options.functions) },
	{ "blocking-syscalls", 0, NULL, NULL, option_flag, AT(options.blocking) },
	{ "synthetic-v2p", 0, "SEED", NULL, parse_seed, AT(options.v2p_seed) },
	{ "regdeps", 0, NULL, NULL, option_flag, AT(options.regdeps) },
	{ "lanes", 0, NULL, NULL, option_flag, AT(options.lanes) },
	{ "list", 'l', NULL, "list the formats", list_formats, 0 },
	{ "force", 0, NULL, "replace OUT if it exists", option_flag, AT(force) },
	{ "mode", 0, "MODE", NULL, option_trace_mode, AT(mode) },
	{ "format", 0, "FMT", "of the summary: text (default), json or csv", option_format,
	  AT(report) },
	{ "quiet", 'q', NULL, "print neither summary nor progress", option_flag, AT(quiet) },
	COMMAND_OPTIONS,
};

static const struct command trace_export = {
	.name = "trace-export",
	.usage = "--to=FORMAT [options] -o OUT TRACE",
	.summary = "Write a trace in another tool's format. OUT.json counts the data it lacks.",
	.options = options_table,
	.notes =
		"N may end in k, M, G, Ki, Mi, Gi.\nExit status: 0 done, 1 failure, 2 usage, 3 unsuitable trace.",
	.example = "trace-export --to=champsim -o gzip.champsimtrace.xz gzip.trace",
};

int main(int argc, char **argv)
{
	struct export_request request = {
		.thread = UINT64_MAX,
		.count = UINT64_MAX,
		.mode = TF_FILE_MODE,
		.options = { .period = 500,
			     .version = DRMEMTRACE_VERSION_RETIRED,
			     .chunk = 10000000,
			     .v2p_seed = DRMEMTRACE_NO_SEED },
	};
	int status, written;

	command_init(trace_export.name);
	status = command_parse(&trace_export, &request, argc, argv);
	if (status == OPTION_DONE)
		status = only_trace(argc, argv, &request.trace);
	if (status == OPTION_DONE && !request.format)
		status = command_usage_error("no format given; use --to=FORMAT");
	if (status == OPTION_DONE && !request.out)
		status = command_usage_error("no output given; use -o OUT");
	if (status != OPTION_DONE)
		return status;
	umask(0777 & ~TF_FILE_MODE); /* files that are not finished are for their owner only */
	status = export_trace(&request);
	written = command_close_stdout();
	return status == EXIT_DONE ? written : status;
}
