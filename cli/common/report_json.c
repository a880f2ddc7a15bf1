/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "cli/common/escape.h"
#include "cli/common/report_parts.h"

static json_t *json_string_of(const char *s)
{
	char *valid = escape_utf8(s);
	json_t *string = json_string_nocheck(valid);

	free(valid);
	return string;
}

static json_t *json_of(const struct value *value)
{
	char number[32];

	switch (value->type) {
	case REPORT_U64:
	case REPORT_ID:
		if (value->u64 <= INT64_MAX)
			return json_integer((json_int_t)value->u64);
		sprintf(number, "%" PRIu64, value->u64);
		return json_string(number);
	case REPORT_HEX: sprintf(number, "0x%" PRIx64, value->u64); return json_string(number);
	case REPORT_F64: return isfinite(value->f64) ? json_real(value->f64) : json_null();
	case REPORT_BOOL: return json_boolean(value->boolean);
	default: return value->string ? json_string_of(value->string) : json_null();
	}
}

static void json_member(json_t *object, const char *name, json_t *value)
{
	if (json_object_set_new_nocheck(object, name, value))
		out_of_memory();
}

static json_t *json_table(const struct part *part)
{
	json_t *table = checked(json_array());

	for (size_t i = 0; i < part->cells.count; i += part->n_columns) {
		json_t *row = checked(json_object());

		for (size_t j = 0; j < part->n_columns; j++)
			json_member(row, part->columns[j].name, json_of(&part->cells.at[i + j]));
		if (json_array_append_new(table, row))
			out_of_memory();
	}
	return table;
}

void report_write_json(const struct report *report)
{
	json_t *root = checked(json_object());

	for (size_t i = 0; i < report->parts.count; i++) {
		const struct part *part = &report->parts.at[i];

		if (part->only_in_text)
			continue;
		if (part->table)
			json_member(root, part->table, json_table(part));
		else
			for (size_t j = 0; j < part->facts.count; j++)
				json_member(root, part->facts.at[j].name,
					    json_of(&part->facts.at[j].value));
	}
	json_dumpf(root, report->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	putc('\n', report->out);
	json_decref(root);
}
