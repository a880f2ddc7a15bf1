/* SPDX-License-Identifier: MIT */
#include "cli/record/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/quantity.h"

int value_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	if (parse_count(text, value) && *value >= least && *value <= most)
		return EXIT_DONE;
	if (most == UINT64_MAX)
		return command_usage_error("--%s=%s: a number of at least %" PRIu64 ", such as "
					   "20M or 4Gi, is expected",
					   name, text, least);
	return command_usage_error("--%s=%s: a number from %" PRIu64 " to %" PRIu64 " is expected",
				   name, text, least, most);
}

int value_size(const char *name, const char *text, uint64_t least, uint64_t *value)
{
	if (parse_size(text, value) && *value >= least)
		return EXIT_DONE;
	return command_usage_error("--%s=%s: a size of at least %" PRIu64 " bytes, such as 20M, is "
				   "expected",
				   name, text, least);
}

int value_place(const char *name, const char *text, const char **place)
{
	char *end;

	*place = text;
	if (strncmp(text, "ssc:", 4) != 0)
		return EXIT_DONE;
	if (text[4] >= '0' && text[4] <= '9' && strtoul(text + 4, &end, 0) <= UINT32_MAX && !*end)
		return EXIT_DONE;
	return command_usage_error("--%s=%s: after ssc: comes the number of a mark", name, text);
}

static bool parse_time(const char *text, double *seconds)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {
		{ "us", 1e-6 },
		{ "ms", 1e-3 },
		{ "s", 1 },
	};
	size_t length = strlen(text);
	char number[32];

	for (unsigned i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t unit = strlen(units[i].unit);

		if (length <= unit || strcmp(text + length - unit, units[i].unit) != 0)
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)(length - unit), text);
		if (!parse_seconds(number, seconds))
			continue;
		*seconds *= units[i].seconds;
		return true;
	}
	return false;
}

int value_duration(const char *name, const char *text, double *seconds)
{
	if (parse_seconds(text, seconds) || parse_time(text, seconds))
		return EXIT_DONE;
	return command_usage_error("--%s=%s: a time such as 10, 2.5 or 100ms is expected", name,
				   text);
}

int value_extent(const char *name, const char *text, struct record_extent *extent)
{
	if (parse_time(text, &extent->seconds))
		return EXIT_DONE;
	if (parse_count(text, &extent->instructions) && extent->instructions)
		return EXIT_DONE;
	return command_usage_error("--%s=%s: a number of instructions, or a time such as 10s or "
				   "100ms, is expected",
				   name, text);
}
