/* SPDX-License-Identifier: MIT */
#include "cli/common/report_json.h"

#include <math.h>

#include "cli/common/json_values.h"
#include "cli/common/report_parts.h"

static json_t *json_of(const struct value *value)
{
	switch (value->type) {
	case REPORT_U64:
	case REPORT_ID: return json_number(value->u64);
	case REPORT_CHANGE: return checked(json_integer((int64_t)value->u64));
	case REPORT_HEX: return json_hex(value->u64);
	case REPORT_F64: return isfinite(value->f64) ? json_real(value->f64) : json_null();
	case REPORT_BOOL: return json_boolean(value->boolean);
	default: return value->string ? json_text(value->string) : json_null();
	}
}

static json_t *json_table(const struct part *part)
{
	json_t *table = checked(json_array());

	for (size_t i = 0; i < part->cells.count; i += part->n_columns) {
		json_t *row = checked(json_object());

		for (size_t j = 0; j < part->n_columns; j++)
			json_member(row, part->columns[j].name, json_of(&part->cells.at[i + j]));
		json_element(table, row);
	}
	return table;
}

static json_t *json_legend(const struct part *legend)
{
	json_t *object = checked(json_object());

	for (size_t i = 0; i < legend->cells.count; i += 2)
		json_member(object, legend->cells.at[i].string, json_of(&legend->cells.at[i + 1]));
	return object;
}

/* Adds the unit of a value, if it has one. */
static void add_unit(json_t *units, const char *name, const char *unit)
{
	if (*unit)
		json_member(units, name, json_text(unit));
}

static json_t *units_of_columns(const struct part *part)
{
	json_t *units = checked(json_object());

	for (size_t i = 0; i < part->n_columns; i++)
		add_unit(units, part->columns[i].name, part->columns[i].unit);
	return units;
}

/* Returns the units of facts, and of the columns of tables in an object for each table. */
static json_t *json_units(const struct report *report)
{
	json_t *units = checked(json_object());

	for (size_t i = 0; i < report->parts.count; i++) {
		const struct part *part = &report->parts.at[i];

		if (part->only_in_text)
			continue;
		for (size_t j = 0; j < part->facts.count; j++)
			add_unit(units, part->facts.at[j].name, part->facts.at[j].unit);
		if (!part->table)
			continue;
		json_t *columns = units_of_columns(part);

		if (json_object_size(columns))
			json_member(units, part->table, columns);
		else
			json_decref(columns);
	}
	return units;
}

json_t *report_json(const struct report *report)
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
	json_t *units = json_units(report);

	/* A table or a fact may have the name itself. */
	if (json_object_size(units) && !json_object_get(root, "units"))
		json_member(root, "units", units);
	else
		json_decref(units);
	if (report->legend.cells.count)
		json_member(root, "legend", json_legend(&report->legend));
	return root;
}

void report_write_json(const struct report *report)
{
	json_put_line(report->out, report_json(report), JSON_INDENT(2) | JSON_REAL_PRECISION(15));
}
