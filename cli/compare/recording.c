/* SPDX-License-Identifier: MIT */
#include "cli/compare/recording.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

static const char *const facts[] = {
	"complete",    "sections_lost",    "stop_reason",
	"exit_status", "exit_signal",      "processes",
	"threads",     "addresses",        "thread_order",
	"recorder",    "recorder_backend", "recorder_options",
	"host_cpu",    "host_kernel",      "removed_instructions",
	"filter",      "joined_traces",
};

/* Skips the rest of a value with blanks: the words up to the next option. */
static const char *behind_value(const char *rest)
{
	const char *word = rest + strspn(rest, " ");

	while (*word && *word != '-') {
		rest = word + strcspn(word, " ");
		word = rest + strspn(rest, " ");
	}
	return rest;
}

/*
 * Returns whether a word of recorder_options changes only where the trace goes. Skips the
 * option's value: the next word, and words that belong to the same file name.
 */
static bool is_about_output(const char **rest, const char *word, size_t length)
{
	static const char *const words[] = { "-q", "--quiet", "-f", "--force" };

	if (length == 2 && !strncmp(word, "-o", 2)) {
		*rest += strspn(*rest, " ");
		*rest += strcspn(*rest, " ");
		*rest = behind_value(*rest);
		return true;
	}
	if ((length > 2 && !strncmp(word, "-o", 2)) || !strncmp(word, "--output=", 9)) {
		*rest = behind_value(*rest);
		return true;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == length && !strncmp(word, words[i], length))
			return true;
	return false;
}

/* Returns the options without those about the file and messages. */
static char *options_that_matter(const char *options)
{
	char *text = checked_array(strlen(options) + 2, 1);

	while (*options) {
		const char *word = options + strspn(options, " ");
		size_t length = strcspn(word, " ");

		options = word + length;
		if (!length || is_about_output(&options, word, length))
			continue;
		if (*text)
			strcat(text, " ");
		strncat(text, word, length);
	}
	return text;
}

static char *value_of(const struct result *result, const char *fact)
{
	const json_t *value = json_object_get(result_of(result, "info"), fact);

	if (json_is_string(value))
		return !strcmp(fact, "recorder_options")
			       ? options_that_matter(json_string_value(value))
			       : checked_copy(json_string_value(value));
	if (json_is_boolean(value))
		return checked_copy(json_is_true(value) ? "yes" : "no");
	if (json_is_integer(value))
		return text_format("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	return NULL;
}

static bool are_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : !a && !b;
}

struct recording_differences compare_recordings(const struct result *results)
{
	struct recording_differences list = { 0 };

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		struct recording_difference difference = { facts[i],
							   { value_of(&results[0], facts[i]),
							     value_of(&results[1], facts[i]) } };
		bool incomplete = !strcmp(facts[i], "complete") && difference.values[0] &&
				  !strcmp(difference.values[0], "no");

		if (are_same(difference.values[0], difference.values[1]) && !incomplete) {
			free(difference.values[0]);
			free(difference.values[1]);
			continue;
		}
		CHECKED_RESERVE(list, list.count + 1);
		list.at[list.count++] = difference;
	}
	return list;
}

void recording_differences_free(struct recording_differences *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->at[i].values[0]);
		free(list->at[i].values[1]);
	}
	free(list->at);
}
