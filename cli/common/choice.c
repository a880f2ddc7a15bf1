/* SPDX-License-Identifier: MIT */
#include "cli/common/choice.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/command.h"

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

int choose(const char *option, const char *text, const char *words, unsigned *choice)
{
	if (parse_choice(text, words, choice))
		return 0;
	return command_usage_error("%s=%s: %s", option, text, expected_choice(words));
}
