/* SPDX-License-Identifier: MIT */
/* trace-dump - a trace as readable text: instructions with their addresses, and events. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/choice.h"
#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/memory_watch.h"
#include "cli/common/quantity.h"
#include "cli/dump/dump.h"

static const char help[] =
	"Usage: trace-dump [options] TRACE\n"
	"Print a trace as text, one instruction or event per line. TRACE may be -.\n"
	"\n"
	"  -f, --from=N       first instruction: an ordinal of the thread, else a step\n"
	"  -c, --count=N      how many instructions\n"
	"  -t, --thread=N     only this thread, by index; else all in recorded order\n"
	"  -b, --bytes        code bytes of each instruction\n"
	"      --intel        Intel syntax instead of AT&T\n"
	"      --blocks       one line per execution of a basic block\n"
	"      --no-events    instructions only\n"
	"      --samples      what hardware sampled, instead of what was executed\n"
	"      --symbols=no   no lines that name the function\n"
	"      --format=FMT   text (default), jsonl or csv\n"
	"  -h, --help         show this help\n"
	"  -V, --version      show versions\n"
	"\n"
	"N may end in k, M, G, Ki, Mi, Gi. jsonl and csv are described in trace-dump(1).\n"
	"\n"
	"Example: trace-dump --from=1M --count=20 ls.trace\n";

static bool parse_dump_format(const char *text, enum dump_format *format)
{
	static const char *const names[] = { "text", "jsonl", "csv" };

	for (int i = DUMP_TEXT; i <= DUMP_CSV; i++)
		if (!strcmp(text, names[i])) {
			*format = i;
			return true;
		}
	return false;
}

static bool parse_yes_no(const char *text, bool *value)
{
	*value = !strcmp(text, "yes");
	return *value || !strcmp(text, "no");
}

enum { INTEL = 256, BLOCKS, NO_EVENTS, SAMPLES, SYMBOLS, FORMAT };

static const struct option long_options[] = { { "from", required_argument, NULL, 'f' },
					      { "count", required_argument, NULL, 'c' },
					      { "thread", required_argument, NULL, 't' },
					      { "bytes", no_argument, NULL, 'b' },
					      { "intel", no_argument, NULL, INTEL },
					      { "blocks", no_argument, NULL, BLOCKS },
					      { "no-events", no_argument, NULL, NO_EVENTS },
					      { "samples", no_argument, NULL, SAMPLES },
					      { "symbols", required_argument, NULL, SYMBOLS },
					      { "format", required_argument, NULL, FORMAT },
					      COMMON_OPTIONS };

/* Returns OPTION_DONE, or the exit code. */
static int parse_arguments(int argc, char **argv, struct dump_options *options, const char **trace)
{
	int option, status;

	while ((option = next_option(argc, argv, "f:c:t:b" COMMON_LETTERS, long_options)) != -1)
		switch (option) {
		case 'f':
			if (!parse_count(optarg, &options->from))
				return command_usage_error("--from=%s: " NOT_A_COUNT, optarg);
			break;
		case 'c':
			if (!parse_count(optarg, &options->count))
				return command_usage_error("--count=%s: " NOT_A_COUNT, optarg);
			break;
		case 't':
			if (!parse_thread(optarg, &options->thread))
				return command_usage_error("--thread: '%s' is not a thread's index",
							   optarg);
			break;
		case 'b': options->bytes = true; break;
		case INTEL: options->syntax = ISA_SYNTAX_INTEL; break;
		case BLOCKS: options->blocks = true; break;
		case NO_EVENTS: options->events = false; break;
		case SAMPLES: options->samples = true; break;
		case SYMBOLS:
			if (!parse_yes_no(optarg, &options->symbols))
				return command_usage_error("--symbols=%s: %s", optarg,
							   expected_choice("yes|no"));
			break;
		case FORMAT:
			if (!parse_dump_format(optarg, &options->format))
				return command_usage_error("--format=%s: %s", optarg,
							   expected_choice("text|jsonl|csv"));
			break;
		default:
			status = common_option(option, help, NULL);
			if (status != OPTION_DONE)
				return status;
		}
	return only_trace(argc, argv, trace);
}

int main(int argc, char **argv)
{
	struct dump_options options = {
		.count = UINT64_MAX,
		.thread = TF_MERGED,
		.events = true,
		.symbols = true,
	};
	struct tf_reader *reader = NULL;
	struct tf_error error;
	const char *trace;
	int status, result;

	command_init("trace-dump");
	status = parse_arguments(argc, argv, &options, &trace);
	if (status != OPTION_DONE)
		return status;
	memory_watch_input(trace);
	result = tf_open(trace, &reader, &error);
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
