/* SPDX-License-Identifier: MIT */
/* The parsers of all commands under the names that libanalyzer exports. */
#include "cli/common/option_parsers.h"

#include "analyzers/common/analyzer.h"
#include "cli/common/quantity.h"

#define EXPORT_PARSER(name)                                                                 \
	const char *analyzer_##name(const struct command_option *option, void *destination, \
				    const char *text)                                       \
	{                                                                                   \
		return name(option, destination, text);                                     \
	}

EXPORT_PARSER(option_flag)
EXPORT_PARSER(option_count)
EXPORT_PARSER(option_positive)
EXPORT_PARSER(option_size)
EXPORT_PARSER(option_text)
EXPORT_PARSER(option_choice)

const char *analyzer_option_expects(const struct command_option *option)
{
	return option_expects(option);
}

bool analyzer_parse_count(const char *text, uint64_t *value)
{
	return parse_count(text, value);
}

bool analyzer_parse_size(const char *text, uint64_t *value)
{
	return parse_size(text, value);
}
