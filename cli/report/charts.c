/* SPDX-License-Identifier: MIT */
#include "cli/report/charts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/report/facts.h"

/* ---- tables -------------------------------------------------------------------------------- */

static json_t *new_table(void)
{
	json_t *table = checked(json_object());

	json_member(table, "columns", checked(json_array()));
	json_member(table, "rows", checked(json_array()));
	return table;
}

static void add_column(json_t *table, json_t *name)
{
	json_element(json_object_get(table, "columns"), name);
}

static json_t *add_row(json_t *table)
{
	json_t *row = checked(json_array());

	json_element(json_object_get(table, "rows"), row);
	return row;
}

/* Adds a value that is a member of something else; NULL is null. */
static void add_value(json_t *row, json_t *value)
{
	json_element(row, value ? json_incref(value) : checked(json_null()));
}

/* ---- rows of a result ---------------------------------------------------------------------- */

/* The columns of a table of the results; numbers stand before texts. */
static json_t *make_rows(const struct chart *chart, const json_t *document)
{
	json_t *rows = (json_t *)result_at(document, chart->place), *table = new_table(), *row;
	size_t i;

	for (const char *const *column = chart->columns; *column; column++)
		add_column(table, json_word(*column));
	json_array_foreach(rows, i, row)
	{
		json_t *values = add_row(table);

		for (const char *const *column = chart->columns; *column; column++)
			add_value(values, json_object_get(row, *column));
	}
	return table;
}

/* ---- curves -------------------------------------------------------------------------------- */

/* Returns the place of a text in an array, to whose end it is added if it is not there. */
static size_t place_in(json_t *texts, const char *text)
{
	json_t *element;
	size_t i;

	json_array_foreach(texts, i,
			   element) if (!strcmp(json_string_value(element), text)) return i;
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
		row = add_row(table);
		add_value(row, x);
		json_member(by_x, key, json_incref(row));
	}
	free(key);
	return row;
}

static void set_value(json_t *row, size_t column, json_t *value)
{
	while (json_array_size(row) <= column)
		add_value(row, NULL);
	if (value && json_array_set(row, column, value))
		out_of_memory();
}

/*
 * Returns the rows of a chart of curves: one for each x, in ascending order, with a column for each
 * series. The results have these numbers as a table with the columns x, y, series.
 */
static json_t *make_curves(const struct chart *chart, const json_t *document)
{
	json_t *table = new_table(), *columns = json_object_get(table, "columns"), *row;
	json_t *rows = json_object_get(table, "rows"), *by_x = checked(json_object());
	size_t i;

	add_column(table, json_word(chart->columns[0]));
	json_array_foreach((json_t *)result_at(document, chart->place), i, row)
	{
		json_t *x = json_object_get(row, chart->columns[0]);
		json_t *y = json_object_get(row, chart->columns[1]);
		const char *series = json_read_text(row, chart->columns[2]);

		if (json_is_number(x) && json_is_number(y) && series)
			set_value(row_of(table, by_x, x), place_in(columns, series), y);
	}
	json_array_foreach(rows, i, row) set_value(row, json_array_size(columns) - 1, NULL);
	json_decref(by_x);
	sort_rows(rows);
	return table;
}

static void accumulate(json_t *rows, size_t column)
{
	double total = 0, sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) total += json_number_value(json_array_get(row, column));
	json_array_foreach(rows, i, row)
	{
		sum += json_number_value(json_array_get(row, column));
		if (total > 0 &&
		    json_array_set_new(row, column, checked(json_real(100 * sum / total))))
			out_of_memory();
	}
}

/* As make_curves(), with the share of each series up to x. */
static json_t *make_cumulative(const struct chart *chart, const json_t *document)
{
	json_t *table = make_curves(chart, document);

	for (size_t i = 1; i < json_array_size(json_object_get(table, "columns")); i++)
		accumulate(json_object_get(table, "rows"), i);
	return table;
}

/* ---- facts --------------------------------------------------------------------------------- */

/*
 * Facts such as "mica.ppm.gag_12_misprediction_percent". columns: x, the end of the names, then the
 * series.
 */
static json_t *make_facts(const struct chart *chart, const json_t *document)
{
	static const unsigned sizes[] = { 4, 8, 12, 32, 64, 128, 256 };
	const char *const *series = chart->columns + 2;
	json_t *table = new_table();

	add_column(table, json_word(chart->columns[0]));
	for (size_t i = 0; series[i]; i++)
		add_column(table, json_word(series[i]));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		json_t *row = checked(json_array());
		bool any = false;

		json_element(row, json_number(sizes[i]));
		for (size_t j = 0; series[j]; j++) {
			char *place = text_format("%s.%s_%u%s", chart->place, series[j], sizes[i],
						  chart->columns[1]);
			json_t *value = (json_t *)result_at(document, place);

			any |= json_is_number(value);
			add_value(row, value);
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

	json_array_foreach((json_t *)metrics, i, metric)
	{
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

/* The metrics of the phases, and the cluster of each interval. */
static json_t *make_intervals(const struct chart *chart, const json_t *document)
{
	const json_t *phases = result_at(document, chart->place);
	json_t *metrics = json_object_get(phases, "metrics"), *table = new_table(), *metric;
	json_t *labels = json_object_get(phases, "labels");
	size_t n = most_values(metrics), i;
	uint64_t interval = 0;

	json_read_number(phases, "interval_size", &interval);
	if (n < json_array_size(labels))
		n = json_array_size(labels);
	add_column(table, json_word("instructions"));
	add_column(table, json_word("cluster"));
	json_array_foreach(metrics, i, metric) add_column(table, metric_column(metric));
	for (size_t k = 0; interval && k < n; k++) {
		json_t *row = add_row(table);

		json_element(row, json_number(k * interval));
		add_value(row, json_array_get(labels, k));
		json_array_foreach(metrics, i, metric)
			add_value(row, json_array_get(json_object_get(metric, "values"), k));
	}
	return table;
}

/* ---- the reference ------------------------------------------------------------------------- */

static double greatest(const json_t *row)
{
	double most = 0;
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)row, i, value) if (json_number_value(value) > most)
		most = json_number_value(value);
	return most;
}

/* MICA's characteristics of the trace and of the programs of the reference. */
static json_t *make_profile(const struct chart *chart, const json_t *document)
{
	json_t *reference = json_object_get(document, chart->place), *table = new_table();
	json_t *axis, *program;
	size_t i, j;

	add_column(table, json_word("this trace"));
	json_array_foreach(json_object_get(reference, "programs"), i, program)
		add_column(table, json_incref(program));
	for (const char *const *column = chart->columns; *column; column++)
		add_column(table, json_word(*column));
	json_array_foreach(json_object_get(reference, "axes"), i, axis)
	{
		json_t *row = add_row(table);

		add_value(row, json_object_get(axis, "value"));
		json_array_foreach(json_object_get(axis, "values"), j, program)
			add_value(row, program);
		json_element(row, checked(json_real(greatest(row))));
		add_value(row, json_object_get(axis, "name"));
		add_value(row, json_object_get(axis, "unit"));
	}
	return table;
}

/* ---- the charts ---------------------------------------------------------------------------- */

const struct chart charts[] = {
	{ "instruction-mix",
	  "Instruction mix",
	  "executed instructions [%]",
	  NULL,
	  CHART_BARS,
	  NULL,
	  make_rows,
	  "mix.classes",
	  { "share_percent", "instructions", "class" } },
	{ "hot-functions",
	  "Functions with the most instructions",
	  "executed instructions [%]",
	  NULL,
	  CHART_BARS,
	  NULL,
	  make_rows,
	  "mix.symbols",
	  { "share_percent", "instructions", "symbol", "module" } },
	{ "flame-graph",
	  "Call paths by instructions",
	  NULL,
	  NULL,
	  CHART_FLAME,
	  NULL,
	  make_rows,
	  "calls.call_paths",
	  { "path", "caller", "depth", "exclusive_instructions", "inclusive_instructions",
	    "function", "module" } },
	{ "heap",
	  "Heap over time",
	  "executed instructions",
	  "allocated memory [bytes]",
	  CHART_STEPS,
	  NULL,
	  make_rows,
	  "heap.over_time",
	  { "instructions", "bytes" } },
	{ "miss-ratio-curve",
	  "Miss-ratio curve of fully associative LRU caches",
	  "size of the cache",
	  "touches of blocks that miss [%]",
	  CHART_STEPS,
	  "%.0b %BB",
	  make_curves,
	  "stackdist.miss_ratio_curve",
	  { "cache_size_bytes", "miss_ratio_percent", "accesses" } },
	{ "cache-misses",
	  "Misses of the modelled caches",
	  "misses in 1,000 instructions",
	  NULL,
	  CHART_BARS,
	  NULL,
	  make_rows,
	  "cache.levels",
	  { "mpki", "misses", "lookups", "level", "caches" } },
	{ "latencies",
	  "Latencies of sampled instructions",
	  "latency [cycles]",
	  "samples up to the latency [%]",
	  CHART_STEPS,
	  "%.0f",
	  make_cumulative,
	  "ibs.histogram",
	  { "to", "samples", "latency" } },
	{ "ilp",
	  "Instruction-level parallelism of an ideal processor",
	  "window [instructions]",
	  "instructions/cycle",
	  CHART_LINES,
	  "%.0f",
	  make_facts,
	  "mica.ilp",
	  { "window", "", "ipc" } },
	{ "branches",
	  "Mispredicted branches of ideal predictors (PPM)",
	  "history [branches]",
	  "mispredicted [% of conditional branches]",
	  CHART_LINES,
	  NULL,
	  make_facts,
	  "mica.ppm",
	  { "history", "_misprediction_percent", "gag", "pag", "gas", "pas" } },
	{ "mica",
	  "Characteristics beside those of known programs",
	  "share of the greatest [%]",
	  NULL,
	  CHART_PROFILE,
	  NULL,
	  make_profile,
	  "reference",
	  { "greatest", "characteristic", "unit" } },
	{ "phases",
	  "Intervals of the thread with the most instructions",
	  "executed instructions",
	  NULL,
	  CHART_PANELS,
	  NULL,
	  make_intervals,
	  "phases",
	  { NULL } },
};

const size_t n_charts = sizeof(charts) / sizeof(charts[0]);

bool column_has_numbers(const json_t *table, size_t column)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(table, "rows"), i,
			   row) if (json_is_number(json_array_get(row, column))) return true;
	return false;
}

static bool is_drawable(const struct chart *chart, const json_t *table)
{
	size_t n = json_array_size(json_object_get(table, "columns"));

	if (chart->kind == CHART_BARS || chart->kind == CHART_PROFILE)
		return column_has_numbers(table, 0);
	for (size_t i = 1; i < n; i++)
		if (column_has_numbers(table, i))
			return true;
	return false;
}

json_t *chart_table(const struct chart *chart, const json_t *document)
{
	json_t *table = chart->make(chart, document);

	if (is_drawable(chart, table))
		return table;
	json_decref(table);
	return NULL;
}
