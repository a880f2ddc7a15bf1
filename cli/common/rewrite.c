/* SPDX-License-Identifier: MIT */
#include "cli/common/rewrite.h"

#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/output_trace.h"
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
static int read_options(int argc, char **argv, const char *help, struct rewrite_options *o)
{
	enum { FORCE = 256, MODE };
	static const struct option table[] = { { "output", required_argument, NULL, 'o' },
					       { "force", no_argument, NULL, FORCE },
					       { "mode", required_argument, NULL, MODE },
					       { "quiet", no_argument, NULL, 'q' },
					       REPORT_OPTIONS };
	int option, status;

	while ((option = next_option(argc, argv, "o:q" COMMON_LETTERS, table)) != -1)
		switch (option) {
		case 'o': o->to = optarg; break;
		case 'q': o->quiet = true; break;
		case FORCE: o->force = true; break;
		case MODE:
			status = parse_trace_mode(optarg, &o->mode);
			if (status != OPTION_DONE)
				return status;
			break;
		default:
			status = common_option(option, help, &o->format);
			if (status != OPTION_DONE)
				return status;
		}
	status = only_trace(argc, argv, &o->from);
	if (status == OPTION_DONE && !o->to)
		status = command_usage_error("no output given; use -o OUT");
	return status;
}

int rewrite_main(int argc, char **argv, const char *name, const char *help,
		 int (*rewrite)(const struct rewrite_options *options))
{
	struct rewrite_options options = { .format = REPORT_TEXT, .mode = TF_FILE_MODE };
	int status;

	command_init(name);
	status = read_options(argc, argv, help, &options);
	if (status != OPTION_DONE)
		return status;
	status = check_output_trace(options.from, options.to, options.force);
	if (status == EXIT_DONE)
		status = rewrite(&options);
	if (status == EXIT_DONE)
		status = set_trace_mode(options.to, options.mode);

	int written = command_close_stdout();

	return status == EXIT_DONE ? written : status;
}
