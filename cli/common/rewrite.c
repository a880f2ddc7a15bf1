/* SPDX-License-Identifier: MIT */
#include "cli/common/rewrite.h"

#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/output_trace.h"

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
	enum { FORCE = 256 };
	static const struct option table[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, FORCE },
		{ "quiet", no_argument, NULL, 'q' },
		REPORT_OPTIONS
	};
	int option, status;

	while ((option = next_option(argc, argv, "o:q" COMMON_LETTERS, table)) != -1)
		switch (option) {
		case 'o': o->to = optarg; break;
		case 'q': o->quiet = true; break;
		case FORCE: o->force = true; break;
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
	struct rewrite_options options = { .format = REPORT_TEXT };
	int status;

	command_init(name);
	status = read_options(argc, argv, help, &options);
	if (status != OPTION_DONE)
		return status;
	status = check_output_trace(options.from, options.to, options.force);
	if (status == EXIT_DONE)
		status = rewrite(&options);

	int written = command_close_stdout();

	return status == EXIT_DONE ? written : status;
}
