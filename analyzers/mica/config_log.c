/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/config_log.h"

#include <ctype.h>
#include <string.h>

void mica_log_analysis(FILE *log, const char *name)
{
	if (!strcmp(name, "ilp_one")) {
		fputs("Measuring ILP characteristics for a given window size...\n", log);
		return;
	}
	fputs("Measuring ", log);
	for (; *name; name++)
		putc(toupper((unsigned char)*name), log);
	fputs(" characteristics...\n", log);
}

void mica_log_unknown_analysis(FILE *log)
{
	fputs("\nERROR: Unknown analysis type chosen!\n", log);
}

/*
 * Returns a value without leading zeros, since MICA prints numbers and not the words that it read.
 */
static const char *without_zeros(const char *value)
{
	while (value[0] == '0' && value[1])
		value++;
	return value;
}

static void log_interval(FILE *log, const char *value)
{
	fprintf(log, "interval size: %s\n", value);
	if (!strcmp(value, "full"))
		fputs("Returning data for full execution...\n", log);
	else
		fprintf(log, "Returning data for each interval of %s instructions...\n",
			without_zeros(value));
}

void mica_log_entry(FILE *log, const char *key, const char *value)
{
	static const struct {
		const char *key, *text;
		bool number;
	} entries[] = {
		{ "ilp_size", "ILP window size: ", true },
		{ "block_size", "block size: 2^", true },
		{ "page_size", "page size: 2^", true },
		{ "itypes_spec_file", "ITYPES spec file: ", false },
		{ "append_pid", "append pid: ", false },
	};

	if (!strcmp(key, "interval_size"))
		log_interval(log, value);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (!strcmp(key, entries[i].key))
			fprintf(log, "%s%s\n", entries[i].text,
				entries[i].number ? without_zeros(value) : value);
}
