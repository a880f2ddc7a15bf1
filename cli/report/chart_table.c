/* SPDX-License-Identifier: MIT */
#include "cli/report/chart_table.h"

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

json_t *new_chart_table(void)
{
	json_t *table = checked(json_object());

	json_member(table, "columns", checked(json_array()));
	json_member(table, "rows", checked(json_array()));
	return table;
}

void add_chart_column(json_t *table, json_t *name)
{
	json_element(json_object_get(table, "columns"), name);
}

json_t *add_chart_row(json_t *table)
{
	json_t *row = checked(json_array());

	json_element(json_object_get(table, "rows"), row);
	return row;
}

void add_chart_value(json_t *row, json_t *value)
{
	json_element(row, value ? json_incref(value) : checked(json_null()));
}

void add_chart_rows(json_t *table, const json_t *rows, const char *const *columns)
{
	json_t *row;
	size_t i;

	for (const char *const *column = columns; *column; column++)
		add_chart_column(table, json_word(*column));
	json_array_foreach ((json_t *)rows, i, row) {
		json_t *values = add_chart_row(table);

		for (const char *const *column = columns; *column; column++)
			add_chart_value(values, json_object_get(row, *column));
	}
}
