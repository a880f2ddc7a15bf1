/* SPDX-License-Identifier: MIT */
#include "cli/record/run_differences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/common/checked.h"

enum { HASH_DIGITS = 16, MOST_NAMED = 4 };

static void add(FILE *out, const char *separator, const char *text)
{
	fprintf(out, "%s%s", ftell(out) > 0 ? separator : "", text);
}

/* Adds a text if a META line differs. A trace without that line does not say. */
static void compare_line(FILE *out, struct tf_reader *first, struct tf_reader *second,
			 const char *key, const char *text)
{
	const char *a = tf_meta(first, key), *b = tf_meta(second, key);

	if (a && b && strcmp(a, b) != 0)
		add(out, ", ", text);
}

/* Returns true if the list of hashes has that of a text. */
static bool has_hash(const char *hashes, const char *text)
{
	char hash[HASH_DIGITS + 1];

	snprintf(hash, sizeof(hash), "%016llx",
		 (unsigned long long)XXH3_64bits(text, strlen(text)));
	return strstr(hashes, hash);
}

/* Returns the number of hashes in a list. */
static size_t count_hashes(const char *hashes)
{
	return (strlen(hashes) + 1) / (HASH_DIGITS + 1);
}

/*
 * Adds the variables of this process that the first run did not have, or not with that value. Only
 * the number of those that it had is known.
 */
static void compare_variables(FILE *out, struct tf_reader *first)
{
	const char *hashes = tf_meta(first, "environment.hashes");
	size_t same = 0, differ = 0;
	char *text;

	for (char **e = environ; hashes && *e; e++) {
		if (has_hash(hashes, *e)) {
			same++;
		} else if (++differ <= MOST_NAMED) {
			text = text_format("environment variable %.*s differs",
					   (int)strcspn(*e, "="), *e);
			add(out, ", ", text);
			free(text);
		}
	}
	if (differ > MOST_NAMED) {
		text = text_format("and %zu more differ", differ - MOST_NAMED);
		add(out, ", ", text);
		free(text);
	}
	if (hashes && !differ && count_hashes(hashes) > same)
		add(out, ", ", "an environment variable of run 1 is missing");
}

char *run_differences(struct tf_reader *first, struct tf_reader *second)
{
	static const struct {
		const char *key, *text;
	} lines[] = {
		{ "exe.build-id", "the program differs" },
		{ "exe.path", "the program's path differs" },
		{ "command.argv", "the arguments differ" },
		{ "command.cwd", "the working folder differs" },
		{ "host.cpu.flags", "the processor's features differ" },
		{ "cpu", "--cpu differs" },
		{ "aslr", "--aslr differs" },
		{ "host.kernel", "the kernel differs" },
	};
	char *text = NULL;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		compare_line(out, first, second, lines[i].key, lines[i].text);
	compare_variables(out, first);
	if (fclose(out) != 0)
		out_of_memory();
	return text;
}
