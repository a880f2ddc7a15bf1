/* SPDX-License-Identifier: MIT */
/* The ready-made parsers of options. */
#include <stdio.h>
#include <string.h>

#include "analyzers/common/analyzer.h"
#include "cli/common/choice.h"
#include "cli/common/quantity.h"

bool analyzer_parse_count(const char *text, uint64_t *value)
{
	return parse_count(text, value);
}

bool analyzer_parse_size(const char *text, uint64_t *value)
{
	return parse_size(text, value);
}

const char *analyzer_option_flag(const struct analyzer_option *option, void *destination,
				 const char *text)
{
	(void)option;
	(void)text;
	*(bool *)destination = true;
	return NULL;
}

const char *analyzer_option_count(const struct analyzer_option *option, void *destination,
				  const char *text)
{
	(void)option;
	if (!parse_count(text, destination))
		return NOT_A_COUNT;
	return NULL;
}

const char *analyzer_option_positive(const struct analyzer_option *option, void *destination,
				     const char *text)
{
	uint64_t value;
	const char *wrong = analyzer_option_count(option, &value, text);

	if (!wrong && value == 0)
		wrong = "must be at least 1";
	if (!wrong)
		*(uint64_t *)destination = value;
	return wrong;
}

const char *analyzer_option_size(const struct analyzer_option *option, void *destination,
				 const char *text)
{
	uint64_t value;

	(void)option;
	if (!parse_size(text, &value))
		return NOT_A_SIZE;
	if (value == 0)
		return "must be at least 1";
	*(uint64_t *)destination = value;
	return NULL;
}

const char *analyzer_option_text(const struct analyzer_option *option, void *destination,
				 const char *text)
{
	(void)option;
	*(const char **)destination = text;
	return NULL;
}

const char *analyzer_option_expects(const struct analyzer_option *option)
{
	char words[256];

	snprintf(words, sizeof(words), "%s", option->argument + (*option->argument == '['));
	words[strcspn(words, "]")] = 0;
	return expected_choice(words);
}

const char *analyzer_option_choice(const struct analyzer_option *option, void *destination,
				   const char *text)
{
	return parse_choice(text, option->argument, destination) ? NULL
								 : analyzer_option_expects(option);
}
