/* SPDX-License-Identifier: MIT */
/* trace-dump - a trace as readable text: instructions with their addresses, and events. */
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/memory_watch.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"
#include "cli/common/trace_input.h"
#include "cli/dump/dump.h"

OPTION_PARSER(parse_intel)
{
	*(enum isa_syntax *)destination = ISA_SYNTAX_INTEL;
	return NULL;
}

/* Parses a number, or the name of a function. */
OPTION_PARSER(parse_from)
{
	struct dump_options *options = destination;

	options->from_function = NULL;
	if (parse_count(text, &options->from))
		return NULL;
	if (strchr("0123456789.-+", *text))
		return NOT_A_COUNT;
	options->from_function = text;
	return NULL;
}

/* Lets the last one of two options that contradict each other count. */
OPTION_PARSER(parse_events)
{
	struct dump_options *options = destination;

	options->events = options->only_events = true;
	return NULL;
}

OPTION_PARSER(parse_no_events)
{
	struct dump_options *options = destination;

	options->events = options->only_events = false;
	return NULL;
}

OPTION_PARSER(parse_thread_index)
{
	return parse_thread(text, destination) ? NULL : NOT_A_THREAD;
}

#define AT(member) offsetof(struct dump_options, member)

static const struct command_option options_table[] = {
	{ "from", 'f', "N|NAME", "begin at instruction N, or where function NAME is entered",
	  parse_from, 0 },
	{ "count", 'c', "N", "stop after N instructions", option_count, AT(count) },
	{ "thread", 't', "N", "only thread N (default: all, in recorded order)", parse_thread_index,
	  AT(thread) },
	{ "bytes", 'b', NULL, "print the code bytes of each instruction", option_flag, AT(bytes) },
	{ "intel", 0, NULL, "Intel syntax instead of AT&T", parse_intel, AT(syntax) },
	{ "blocks", 0, NULL, "print one line per execution of a basic block", option_flag,
	  AT(blocks) },
	{ "events", 0, NULL, "print only events", parse_events, 0 },
	{ "no-events", 0, NULL, "print only instructions", parse_no_events, 0 },
	{ "samples", 0, NULL, "print samples instead of instructions and events", option_flag,
	  AT(samples) },
	{ "symbols", 0, "yes|no", "print the names of functions (default yes)", option_second,
	  AT(no_symbols) },
	{ "format", 0, "text|jsonl|csv", "text (default), JSON Lines or CSV", option_choice,
	  AT(format) },
	COMMAND_OPTIONS,
};

static const struct command trace_dump = {
	.name = "trace-dump",
	.usage = "[options] TRACE",
	.summary = "Print a trace, one instruction or event per line.\n"
		   "TRACE may be - for standard input.",
	.options = options_table,
	.notes = "N may end in k, M, G, Ki, Mi, Gi. trace-dump(1) describes the columns.",
	.example = "trace-dump --from=100k --count=20 ls.trace",
};

int main(int argc, char **argv)
{
	struct dump_options options = {
		.count = UINT64_MAX,
		.thread = TF_MERGED,
		.events = true,
	};
	struct tf_reader *reader = NULL;
	struct tf_error error;
	const char *trace;
	int status, result;

	command_init(trace_dump.name);
	status = command_parse(&trace_dump, &options, argc, argv);
	if (status == OPTION_DONE)
		status = only_trace(argc, argv, &trace);
	if (status != OPTION_DONE)
		return status;
	memory_watch_input(trace);
	result = open_trace_input(trace, TRACE_PARTS, &reader, &error);
	if (result >= 0)
		result = dump_trace(reader, trace, &options, &error);
	if (result < 0)
		command_error("%s", error.text);
	tf_close(reader);
	status = command_close_stdout();
	if (result < 0)
		return EXIT_FAILED;
	return result == EXIT_DONE ? status : result;
}
