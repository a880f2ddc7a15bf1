/* SPDX-License-Identifier: MIT */
#include "cli/common/common_options.h"

#include "cli/common/command.h"

int common_option(int option, const char *help, enum report_format *format)
{
	switch (option) {
	case OPTION_FORMAT:
		if (parse_report_format(optarg, format))
			return OPTION_DONE;
		return command_usage_error("--format: '%s' is not text, json or csv", optarg);
	case 'h':
		fputs(help, stdout);
		return command_close_stdout();
	case OPTION_VERSION:
		command_version();
		return command_close_stdout();
	default:
		return command_bad_option();
	}
}

int only_trace(int argc, char **argv, const char **trace)
{
	if (argc - optind != 1)
		return command_usage_error(optind == argc ? "no trace given" :
							    "more than one trace given");
	*trace = argv[optind];
	return OPTION_DONE;
}
