/* SPDX-License-Identifier: MIT */
#include "cli/report/pair_charts.h"

#include <math.h>
#include <stdlib.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/report/chart_table.h"

static const json_t *rows_of(const struct chart *chart, const json_t *document)
{
	return json_object_get(json_object_get(document, "compare"), chart->place);
}

json_t *make_pair_rows(const struct chart *chart, const json_t *document)
{
	json_t *table = new_chart_table();

	add_chart_rows(table, rows_of(chart, document), chart->columns);
	return table;
}

/* ---- functions ----------------------------------------------------------------------------- */

struct changed {
	json_t *row;
	size_t place;
	double change;
};

/* Orders by the size of the change, then as the result does. */
static int by_change(const void *a, const void *b)
{
	const struct changed *first = a, *second = b;
	double x = fabs(first->change), y = fabs(second->change);

	if (x != y)
		return x < y ? 1 : -1;
	return first->place < second->place ? -1 : first->place > second->place;
}

/* Returns the rows whose value in a column is not 0, and sets their number. Free them. */
static struct changed *changed_rows(const json_t *rows, const char *column, size_t *count)
{
	struct changed *changed = checked_array(json_array_size(rows), sizeof(*changed));
	json_t *row;
	size_t i;

	*count = 0;
	json_array_foreach ((json_t *)rows, i, row) {
		double change = json_number_value(json_object_get(row, column));

		if (change != 0)
			changed[(*count)++] = (struct changed){ row, i, change };
	}
	qsort(changed, *count, sizeof(*changed), by_change);
	return changed;
}

/* Adds what names a function: in the first trace, or, if it does not have the function, in B. */
static void add_name(json_t *values, const json_t *row, const char *a, const char *b)
{
	json_t *name = json_object_get(row, a);

	add_chart_value(values, json_is_string(name) ? name : json_object_get(row, b));
}

json_t *make_changes(const struct chart *chart, const json_t *document)
{
	static const char *const ends[] = { "change", "a", "b" };
	enum { N_ENDS = sizeof(ends) / sizeof(*ends) };
	json_t *table = new_chart_table();
	struct changed *changed;
	char *columns[N_ENDS];
	size_t count;

	for (size_t i = 0; i < N_ENDS; i++) {
		columns[i] = text_format("%s_%s", chart->columns[0], ends[i]);
		add_chart_column(table, json_text(columns[i]));
	}
	add_chart_column(table, json_word("function"));
	add_chart_column(table, json_word("module"));
	changed = changed_rows(rows_of(chart, document), columns[0], &count);
	for (size_t i = 0; i < count; i++) {
		json_t *values = add_chart_row(table);

		for (size_t j = 0; j < N_ENDS; j++)
			add_chart_value(values, json_object_get(changed[i].row, columns[j]));
		add_name(values, changed[i].row, "function_a", "function_b");
		add_name(values, changed[i].row, "module_a", "module_b");
	}
	for (size_t i = 0; i < N_ENDS; i++)
		free(columns[i]);
	free(changed);
	return table;
}

/* ---- phases -------------------------------------------------------------------------------- */

json_t *make_distances(const struct chart *chart, const json_t *document)
{
	json_t *table = new_chart_table(), *row;
	size_t i;

	add_chart_column(table, json_word(chart->columns[0]));
	add_chart_column(table, json_word(chart->columns[1]));
	json_array_foreach ((json_t *)rows_of(chart, document), i, row) {
		json_t *values = add_chart_row(table);

		json_element(values, json_number(i));
		add_chart_value(values, json_object_get(row, chart->columns[1]));
	}
	return table;
}
