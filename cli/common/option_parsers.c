/* SPDX-License-Identifier: MIT */
#include "cli/common/option_parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/quantity.h"
#include "cli/common/tracereport.h"

/* ---- words ------------------------------------------------------------------------------- */

bool parse_choice(const char *text, const char *words, unsigned *choice)
{
	size_t length = strlen(text);

	for (unsigned i = 0; words; i++) {
		size_t word = strcspn(words, "|");

		if (word == length && !memcmp(words, text, length)) {
			*choice = i;
			return true;
		}
		words = words[word] ? words + word + 1 : NULL;
	}
	return false;
}

static unsigned count_words(const char *words)
{
	unsigned count = 1;

	for (; (words = strchr(words, '|')); words++)
		count++;
	return count;
}

const char *expected_choice(const char *words)
{
	static char text[1024];
	unsigned count = count_words(words), left = count;
	int size = snprintf(text, sizeof(text), "%s", count > 2 ? "one of " : "");

	while (words && size < (int)sizeof(text)) {
		int word = (int)strcspn(words, "|");
		const char *link = --left > 1  ? ", "
				   : left == 0 ? ""
				   : count > 2 ? " and "
					       : " or ";

		size += snprintf(text + size, sizeof(text) - (size_t)size, "%.*s%s", word, words,
				 link);
		words = words[word] ? words + word + 1 : NULL;
	}
	if (size < (int)sizeof(text))
		snprintf(text + size, sizeof(text) - (size_t)size, " is expected");
	return text;
}

const char *option_expects(const struct command_option *option)
{
	char words[256];

	snprintf(words, sizeof(words), "%s", option->argument + strspn(option->argument, "[="));
	words[strcspn(words, "]")] = 0;
	return expected_choice(words);
}

SHARED_OPTION_PARSER(option_choice)
{
	return parse_choice(text, option->argument, destination) ? NULL : option_expects(option);
}

SHARED_OPTION_PARSER(option_second)
{
	unsigned choice = 0;
	const char *wrong = option_choice(option, &choice, text);

	if (!wrong)
		*(bool *)destination = choice == 1;
	return wrong;
}

SHARED_OPTION_PARSER(option_format)
{
	return report_parse_format(text, destination) ? NULL : expected_choice(REPORT_FORMATS);
}

/* ---- numbers and texts ------------------------------------------------------------------- */

unsigned parse_list(const char *text, bool (*parse)(const char *text, uint64_t *value),
		    uint64_t *numbers, unsigned most)
{
	char *copy = checked_copy(text), *rest = copy, *word;
	unsigned count = 0;
	uint64_t number;

	while (count <= most && (word = strsep(&rest, ","))) {
		if (!parse(word, &number)) {
			count = 0;
			break;
		}
		if (count < most)
			numbers[count] = number;
		count++;
	}
	free(copy);
	return count;
}

const char *parse_count_within(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	static char wrong[2 * COUNT_SIZE + 32];
	char from[COUNT_SIZE], to[COUNT_SIZE];
	uint64_t count;

	if (!parse_count(text, &count))
		return NOT_A_COUNT;
	if (count >= least && count <= most) {
		*value = count;
		return NULL;
	}
	if (most >= INT64_MAX && count < least)
		snprintf(wrong, sizeof(wrong), "must be at least %s", format_count(least, from));
	else
		snprintf(wrong, sizeof(wrong), "must be from %s to %s", format_count(least, from),
			 format_count(most, to));
	return wrong;
}

SHARED_OPTION_PARSER(option_count)
{
	return parse_count_within(text, 0, UINT64_MAX, destination);
}

SHARED_OPTION_PARSER(option_positive)
{
	return parse_count_within(text, 1, UINT64_MAX, destination);
}

SHARED_OPTION_PARSER(option_jobs)
{
	enum { MAX_JOBS = 1024 };
	uint64_t jobs;
	const char *wrong = parse_count_within(text, 1, MAX_JOBS, &jobs);

	if (!wrong)
		*(unsigned *)destination = (unsigned)jobs;
	return wrong;
}

SHARED_OPTION_PARSER(option_size)
{
	uint64_t value;

	if (!parse_size(text, &value))
		return NOT_A_SIZE;
	if (value == 0)
		return "must be at least 1";
	*(uint64_t *)destination = value;
	return NULL;
}

SHARED_OPTION_PARSER(option_thread)
{
	uint32_t thread;

	if (!parse_thread(text, &thread))
		return NOT_A_THREAD;
	*(uint64_t *)destination = thread;
	return NULL;
}

SHARED_OPTION_PARSER(option_text)
{
	*(const char **)destination = text;
	return NULL;
}

SHARED_OPTION_PARSER(option_flag)
{
	*(bool *)destination = true;
	return NULL;
}
