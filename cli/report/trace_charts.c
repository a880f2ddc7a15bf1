/* SPDX-License-Identifier: MIT */
#include "cli/report/trace_charts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/report/chart_table.h"
#include "cli/report/facts.h"

/* ---- rows of a result ---------------------------------------------------------------------- */

json_t *make_rows(const struct chart *chart, const json_t *document)
{
	json_t *table = new_chart_table();

	add_chart_rows(table, result_at(document, chart->place), chart->columns);
	return table;
}

/* ---- curves -------------------------------------------------------------------------------- */

/* Returns the place of a text in an array, to whose end it is added if it is not there. */
static size_t place_in(json_t *texts, const char *text)
{
	json_t *element;
	size_t i;

	json_array_foreach (texts, i, element)
		if (!strcmp(json_string_value(element), text))
			return i;
	json_element(texts, json_text(text));
	return json_array_size(texts) - 1;
}

static int by_first_number(const void *a, const void *b)
{
	double first = json_number_value(json_array_get(*(json_t *const *)a, 0));
	double second = json_number_value(json_array_get(*(json_t *const *)b, 0));

	return (first > second) - (first < second);
}

static void sort_rows(json_t *rows)
{
	size_t n = json_array_size(rows);
	json_t **sorted = checked_array(n, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		sorted[i] = json_incref(json_array_get(rows, i));
	qsort(sorted, n, sizeof(*sorted), by_first_number);
	json_array_clear(rows);
	for (size_t i = 0; i < n; i++)
		json_element(rows, sorted[i]);
	free(sorted);
}

/* Returns the row of x, which is added if there is none. by_x: rows by x, as text. */
static json_t *row_of(json_t *table, json_t *by_x, json_t *x)
{
	char *key = text_format("%.17g", json_number_value(x));
	json_t *row = json_object_get(by_x, key);

	if (!row) {
		row = add_chart_row(table);
		add_chart_value(row, x);
		json_member(by_x, key, json_incref(row));
	}
	free(key);
	return row;
}

static void set_value(json_t *row, size_t column, json_t *value)
{
	while (json_array_size(row) <= column)
		add_chart_value(row, NULL);
	if (value && json_array_set(row, column, value))
		out_of_memory();
}

json_t *make_curves(const struct chart *chart, const json_t *document)
{
	json_t *table = new_chart_table(), *columns = json_object_get(table, "columns"), *row;
	json_t *rows = json_object_get(table, "rows"), *by_x = checked(json_object());
	size_t i;

	add_chart_column(table, json_word(chart->columns[0]));
	json_array_foreach ((json_t *)result_at(document, chart->place), i, row) {
		json_t *x = json_object_get(row, chart->columns[0]);
		json_t *y = json_object_get(row, chart->columns[1]);
		const char *series = json_read_text(row, chart->columns[2]);

		if (json_is_number(x) && json_is_number(y) && series)
			set_value(row_of(table, by_x, x), place_in(columns, series), y);
	}
	json_array_foreach (rows, i, row)
		set_value(row, json_array_size(columns) - 1, NULL);
	json_decref(by_x);
	sort_rows(rows);
	return table;
}

static void accumulate(json_t *rows, size_t column)
{
	double total = 0, sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach (rows, i, row)
		total += json_number_value(json_array_get(row, column));
	json_array_foreach (rows, i, row) {
		sum += json_number_value(json_array_get(row, column));
		if (total > 0 &&
		    json_array_set_new(row, column, checked(json_real(100 * sum / total))))
			out_of_memory();
	}
}

json_t *make_cumulative(const struct chart *chart, const json_t *document)
{
	json_t *table = make_curves(chart, document);

	for (size_t i = 1; i < json_array_size(json_object_get(table, "columns")); i++)
		accumulate(json_object_get(table, "rows"), i);
	return table;
}

/* ---- facts --------------------------------------------------------------------------------- */

json_t *make_facts(const struct chart *chart, const json_t *document)
{
	static const unsigned sizes[] = { 4, 8, 12, 32, 64, 128, 256 };
	const char *const *series = chart->columns + 2;
	json_t *table = new_chart_table();

	add_chart_column(table, json_word(chart->columns[0]));
	for (size_t i = 0; series[i]; i++)
		add_chart_column(table, json_word(series[i]));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		json_t *row = checked(json_array());
		bool any = false;

		json_element(row, json_number(sizes[i]));
		for (size_t j = 0; series[j]; j++) {
			char *place = text_format("%s.%s_%u%s", chart->place, series[j], sizes[i],
						  chart->columns[1]);
			json_t *value = (json_t *)result_at(document, place);

			any |= json_is_number(value);
			add_chart_value(row, value);
			free(place);
		}
		if (any)
			json_element(json_object_get(table, "rows"), json_incref(row));
		json_decref(row);
	}
	return table;
}

/* ---- intervals ----------------------------------------------------------------------------- */

static size_t most_values(const json_t *metrics)
{
	size_t most = 0, i;
	json_t *metric;

	json_array_foreach ((json_t *)metrics, i, metric) {
		size_t n = json_array_size(json_object_get(metric, "values"));

		most = n > most ? n : most;
	}
	return most;
}

static json_t *metric_column(const json_t *metric)
{
	const char *name = json_read_text(metric, "name"), *unit = json_read_text(metric, "unit");
	char *text = text_format("%s [%s]", name ? name : "", unit ? unit : "");
	json_t *column = json_text(text);

	free(text);
	return column;
}

json_t *make_intervals(const struct chart *chart, const json_t *document)
{
	const json_t *phases = result_at(document, chart->place);
	json_t *metrics = json_object_get(phases, "metrics"), *table = new_chart_table(), *metric;
	json_t *labels = json_object_get(phases, "labels");
	size_t n = most_values(metrics), i;
	uint64_t interval = 0;

	json_read_number(phases, "interval_size", &interval);
	if (n < json_array_size(labels))
		n = json_array_size(labels);
	add_chart_column(table, json_word("instructions"));
	add_chart_column(table, json_word("cluster"));
	json_array_foreach (metrics, i, metric)
		add_chart_column(table, metric_column(metric));
	for (size_t k = 0; interval && k < n; k++) {
		json_t *row = add_chart_row(table);

		json_element(row, json_number(k * interval));
		add_chart_value(row, json_array_get(labels, k));
		json_array_foreach (metrics, i, metric)
			add_chart_value(row, json_array_get(json_object_get(metric, "values"), k));
	}
	return table;
}

/* ---- the reference ------------------------------------------------------------------------- */

static double greatest(const json_t *row)
{
	double most = 0;
	json_t *value;
	size_t i;

	json_array_foreach ((json_t *)row, i, value)
		if (json_number_value(value) > most)
			most = json_number_value(value);
	return most;
}

json_t *make_profile(const struct chart *chart, const json_t *document)
{
	json_t *reference = json_object_get(document, chart->place), *table = new_chart_table();
	json_t *axis, *program;
	size_t i, j;

	add_chart_column(table, json_word("this trace"));
	json_array_foreach (json_object_get(reference, "programs"), i, program)
		add_chart_column(table, json_incref(program));
	for (const char *const *column = chart->columns; *column; column++)
		add_chart_column(table, json_word(*column));
	json_array_foreach (json_object_get(reference, "axes"), i, axis) {
		json_t *row = add_chart_row(table);

		add_chart_value(row, json_object_get(axis, "value"));
		json_array_foreach (json_object_get(axis, "values"), j, program)
			add_chart_value(row, program);
		json_element(row, checked(json_real(greatest(row))));
		add_chart_value(row, json_object_get(axis, "name"));
		add_chart_value(row, json_object_get(axis, "unit"));
	}
	return table;
}

/* ---- reuse distances ------------------------------------------------------------------------- */

/* Returns the number of reuses in a bin of all kinds, or of one. */
static uint64_t reuses_in(const json_t *bins, size_t bin)
{
	json_int_t n = json_integer_value(json_array_get(bins, bin));

	return n > 0 ? (uint64_t)n : 0;
}

json_t *make_reuses(const struct chart *chart, const json_t *document)
{
	const json_t *slo = result_at(document, chart->place), *all = json_object_get(slo, "bins");
	json_t *kinds = json_object_get(slo, "kinds"), *table = new_chart_table(), *kind;
	size_t first = 0, end = json_array_size(all), i;

	while (end && !reuses_in(all, end - 1))
		end--;
	while (first < end && !reuses_in(all, first))
		first++;
	add_chart_column(table, json_word(chart->columns[0]));
	json_array_foreach (kinds, i, kind)
		add_chart_column(table, json_text(json_read_text(kind, "kind")));
	for (size_t bin = first; end && bin <= end; bin++) {
		json_t *row = add_chart_row(table);

		json_element(row, json_number(bin ? UINT64_C(1) << bin : 0));
		json_array_foreach (kinds, i, kind)
			json_element(row,
				     json_number(reuses_in(json_object_get(kind, "bins"), bin)));
	}
	return table;
}
