/* SPDX-License-Identifier: MIT */
#include "cli/common/rewrite.h"

#include "cli/common/command.h"
#include "traceformat/tracewriter.h"

const char *rewrite_path(const struct rewrite_options *options)
{
	return is_standard_stream(options->to) ? "/dev/stdout" : options->to;
}

struct report *rewrite_report_begin(const struct rewrite_options *options)
{
	return report_begin(is_standard_stream(options->to) ? stderr : stdout, options->format);
}

/* Returns OPTION_DONE, or the exit code to end with. */
static int read_options(const struct command *command, int argc, char **argv,
			struct rewrite_options *o)
{
	int status = command_parse(command, o, argc, argv);

	if (status == OPTION_DONE)
		status = only_trace(argc, argv, &o->from);
	if (status == OPTION_DONE && !o->to)
		status = command_usage_error("no output given; use -o OUT");
	return status;
}

int rewrite_main(const struct command *command, int argc, char **argv,
		 int (*rewrite)(const struct rewrite_options *options))
{
	struct rewrite_options options = { .format = REPORT_TEXT, .mode = TF_FILE_MODE };
	int status;

	command_init(command->name);
	status = read_options(command, argc, argv, &options);
	if (status != OPTION_DONE)
		return status;
	status = check_output_trace(options.from, options.to, options.force);
	if (status == EXIT_DONE)
		status = rewrite(&options);
	return end_output_trace(options.to, options.mode, status);
}
