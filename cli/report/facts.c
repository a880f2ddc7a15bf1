/* SPDX-License-Identifier: MIT */
#include "cli/report/facts.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

const json_t *result_at(const json_t *document, const char *place)
{
	const json_t *at = json_object_get(document, "results");
	char name[64];

	while (at && *place) {
		size_t length = strcspn(place, ".");

		snprintf(name, sizeof(name), "%.*s", (int)length, place);
		at = json_object_get(at, name);
		place += length + (place[length] == '.');
	}
	return at;
}

uint64_t count_in(const json_t *row, const char *column)
{
	uint64_t value = 0;

	json_read_number(row, column, &value);
	return value;
}

uint64_t count_at(const json_t *document, const char *place)
{
	const json_t *value = result_at(document, place);

	return json_is_integer(value) && json_integer_value(value) > 0
		       ? (uint64_t)json_integer_value(value)
		       : 0;
}

const json_t *row_with(const json_t *document, const char *table, const char *column,
		       const char *text)
{
	const json_t *row;
	size_t i;

	json_array_foreach ((json_t *)result_at(document, table), i, row) {
		const char *found = json_read_text(row, column);

		if (found && !strcmp(found, text))
			return row;
	}
	return NULL;
}

const json_t *first_trace(const json_t *document)
{
	return json_array_get(json_object_get(document, "traces"), 0);
}

char *spoken_bytes(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	unsigned unit = 0;

	while (value >= 1024 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1024;
		unit++;
	}
	return text_format(value < 10 && unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}
