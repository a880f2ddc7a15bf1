/* SPDX-License-Identifier: MIT */
/* The ready-made parsers of options. */
#include <stdio.h>
#include <string.h>

#include "analyzers/common/analyzer.h"
#include "cli/common/quantity.h"

const char *option_flag(const struct analyzer_option *option, void *destination, const char *text)
{
	(void)option;
	(void)text;
	*(bool *)destination = true;
	return NULL;
}

const char *option_count(const struct analyzer_option *option, void *destination, const char *text)
{
	(void)option;
	if (!parse_count(text, destination))
		return NOT_A_COUNT;
	return NULL;
}

const char *option_positive(const struct analyzer_option *option, void *destination,
			    const char *text)
{
	uint64_t value;
	const char *wrong = option_count(option, &value, text);

	if (!wrong && value == 0)
		wrong = "must be at least 1";
	if (!wrong)
		*(uint64_t *)destination = value;
	return wrong;
}

const char *option_size(const struct analyzer_option *option, void *destination, const char *text)
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

const char *option_text(const struct analyzer_option *option, void *destination, const char *text)
{
	(void)option;
	*(const char **)destination = text;
	return NULL;
}

const char *option_expects(const struct analyzer_option *option)
{
	static char text[256];
	const char *words = option->argument + (*option->argument == '[');

	snprintf(text, sizeof(text), "one of %.*s is expected", (int)strcspn(words, "]"), words);
	return text;
}

const char *option_choice(const struct analyzer_option *option, void *destination,
			  const char *text)
{
	size_t length = strlen(text);
	unsigned choice = 0;

	for (const char *word = option->argument; word; choice++) {
		size_t word_length = strcspn(word, "|");

		if (word_length == length && !memcmp(word, text, length)) {
			*(unsigned *)destination = choice;
			return NULL;
		}
		word = word[word_length] ? word + word_length + 1 : NULL;
	}
	return option_expects(option);
}
