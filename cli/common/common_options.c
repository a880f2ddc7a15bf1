/* SPDX-License-Identifier: MIT */
#include "cli/common/common_options.h"

#include <string.h>

#include "cli/common/choice.h"
#include "cli/common/command.h"

void tell_refused_option(char **argv, const char *letters)
{
	const char *given = argv[optind - 1];
	bool is_letter = optopt && optopt <= UINT8_MAX;

	if (is_letter && !strchr(letters, optopt))
		command_error("unknown option '-%c'", optopt);
	else if (!optopt)
		command_error("unknown option '%s'", given);
	else if (strchr(given, '='))
		command_error("option '%s' takes no value", given);
	else
		command_error("option '%s' needs a value", given);
}

static void tell_empty_value(int option, const struct option *named)
{
	if (named)
		command_error("option '--%s' needs a value", named->name);
	else
		command_error("option '-%c' needs a value", option);
}

int next_option(int argc, char **argv, const char *letters, const struct option *table)
{
	int index = -1, option;

	opterr = 0;
	option = getopt_long(argc, argv, letters, table, &index);
	if (option == '?') {
		tell_refused_option(argv, letters);
	} else if (option != -1 && optarg && !*optarg) {
		tell_empty_value(option, index < 0 ? NULL : &table[index]);
		return '?';
	}
	return option;
}

int common_option(int option, const char *help, enum report_format *format)
{
	switch (option) {
	case OPTION_FORMAT:
		if (report_parse_format(optarg, format))
			return OPTION_DONE;
		return command_usage_error("--format=%s: %s", optarg,
					   expected_choice(REPORT_FORMATS));
	case 'h': fputs(help, stdout); return command_close_stdout();
	case 'V': command_version(); return command_close_stdout();
	default: return command_bad_option();
	}
}

int only_trace(int argc, char **argv, const char **trace)
{
	if (argc - optind != 1)
		return command_usage_error(optind == argc ? "no trace given"
							  : "more than one trace given");
	*trace = argv[optind];
	return OPTION_DONE;
}
