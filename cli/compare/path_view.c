/* SPDX-License-Identifier: MIT */
#include "cli/compare/path_view.h"

#include <stdlib.h>

#include "cli/common/checked.h"
#include "cli/compare/function_view.h"

static uint64_t value_of_path(const struct path_pair *path, unsigned side,
			      const struct metric *metric, bool inclusive)
{
	return metric_of(metric, inclusive ? path->inclusive[side] : path->exclusive[side],
			 path->calls[side]);
}

/* Returns a cell that is not known if the trace does not have the path. */
static struct report_cell cell_of(const struct path_pair *path, unsigned side, uint64_t value)
{
	struct report_cell cell = report_integer_cell(value);

	cell.known = path->has[side];
	return cell;
}

/* ---- text -------------------------------------------------------------------------------- */

/* Returns the least change that text shows: a fair part of the greatest one, and no less than what
 * a path may have that results leave out. */
static uint64_t least_change(const struct comparison *c, const struct metric *metric)
{
	enum { FAIR_PART = 50, LEFT_OUT = 2500 };
	uint64_t most = 0, most_value = 0;

	for (size_t i = 0; i < c->paths->count; i++) {
		const struct path_pair *path = &c->paths->at[i];
		uint64_t change = path_change(path, metric, true);

		most = change > most ? change : most;
		for (unsigned side = 0; side < 2; side++)
			if (value_of_path(path, side, metric, true) > most_value)
				most_value = value_of_path(path, side, metric, true);
	}
	return most / FAIR_PART > most_value / LEFT_OUT ? most / FAIR_PART : most_value / LEFT_OUT;
}

/* Marks the paths that changed so much, and their callers. Free the marks. */
static bool *paths_to_show(const struct comparison *c, const struct metric *metric, bool *any)
{
	const struct path_pairs *paths = c->paths;
	bool *shown = checked_array(paths->count, sizeof(*shown));
	uint64_t least = least_change(c, metric);

	*any = false;
	for (size_t i = paths->count; i-- > 0;) {
		uint64_t change = path_change(&paths->at[i], metric, true);

		shown[i] |= change && change >= least;
		*any |= shown[i];
		if (shown[i] && paths->at[i].key.caller != COMPARE_NONE)
			shown[paths->at[i].key.caller] = true;
	}
	return shown;
}

static void put_path(const struct comparison *c, const struct path_pair *path,
		     const struct metric *metric, struct report *report)
{
	enum { DEEPEST_INDENT = 40 };
	unsigned indent = path->depth < DEEPEST_INDENT ? path->depth : DEEPEST_INDENT;
	uint64_t a = value_of_path(path, 0, metric, true), b = value_of_path(path, 1, metric, true);
	char *name = name_of_pair(c->matching, path->key.pair);
	char *indented = text_format("%*s%s", (int)indent - 1, "", name);
	struct report_cell cells[] = {
		report_integer_cell(b - a),
		report_text_cell(indented),
		cell_of(path, 0, a),
		cell_of(path, 1, b),
		cell_of(path, 0, path->calls[0]),
		cell_of(path, 1, path->calls[1]),
	};

	report_row_of_cells(report, cells);
	free(indented);
	free(name);
}

static void view_tree(const struct comparison *c, const uint32_t *order,
		      const struct metric *metric, struct report *report)
{
	static const struct report_column columns[] = {
		{ "change", REPORT_CHANGE, "" },
		{ "function", REPORT_STRING, "" },
		{ "a", REPORT_U64, "" },
		{ "b", REPORT_U64, "" },
		{ "calls_a", REPORT_U64, "" },
		{ "calls_b", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	bool any, *shown = paths_to_show(c, metric, &any);
	uint64_t rows = 0;

	if (any)
		report_text_table(report, "call_paths", columns);
	for (size_t i = 0; i < c->paths->count && rows < 2 * c->top; i++)
		if (shown[order[i]]) {
			put_path(c, &c->paths->at[order[i]], metric, report);
			rows++;
		}
	free(shown);
}

/* ---- data -------------------------------------------------------------------------------- */

static const char *const kinds[] = { "exclusive", "inclusive" };

static bool has_columns(const struct metric *metric)
{
	return metric_is_by_path(metric) && metric->kind != METRIC_CALLS;
}

static void add_columns(struct view_columns *columns, const struct metrics *metrics)
{
	add_view_column(columns, "path", REPORT_ID);
	add_view_column(columns, "caller", REPORT_ID);
	add_view_column(columns, "depth", REPORT_U64);
	add_view_column(columns, "function", REPORT_STRING);
	add_view_column(columns, "module", REPORT_STRING);
	add_view_column(columns, "calls_a", REPORT_U64);
	add_view_column(columns, "calls_b", REPORT_U64);
	for (size_t i = 0; i < metrics->count; i++)
		for (unsigned j = 0; has_columns(&metrics->at[i]) && j < 4; j++) {
			char *name = text_format("%s_%s_%s", kinds[j / 2], metrics->at[i].key,
						 j % 2 ? "b" : "a");

			add_view_column(columns, name, REPORT_U64);
			free(name);
		}
	add_view_column(columns, NULL, 0);
}

static void put_row(const struct comparison *c, const struct path_pair *path, size_t number,
		    size_t caller, size_t n_columns, struct report *report)
{
	const struct compared_function *f = function_of_pair(c->matching, path->key.pair);
	struct report_cell *cells = checked_array(n_columns, sizeof(*cells)), *cell = cells;

	*cell++ = report_integer_cell(number);
	*cell++ = report_integer_cell(caller);
	*cell++ = report_integer_cell(path->depth);
	*cell++ = report_text_cell(f->name);
	*cell++ = report_text_cell(f->module);
	for (unsigned side = 0; side < 2; side++)
		*cell++ = cell_of(path, side, path->calls[side]);
	for (size_t i = 0; i < c->metrics->count; i++)
		for (unsigned j = 0; has_columns(&c->metrics->at[i]) && j < 4; j++)
			*cell++ = cell_of(path, j % 2,
					  value_of_path(path, j % 2, &c->metrics->at[i], j / 2));
	report_row_of_cells(report, cells);
	free(cells);
}

static void view_all(const struct comparison *c, const uint32_t *order, struct report *report)
{
	struct view_columns columns = { .texts = c->texts };
	size_t *number = checked_array(c->paths->count, sizeof(*number));

	add_columns(&columns, c->metrics);
	report_data_table(report, "call_paths", columns.at);
	for (size_t i = 0; i < c->paths->count; i++) {
		const struct path_pair *path = &c->paths->at[order[i]];
		uint32_t caller = path->key.caller;

		number[order[i]] = i + 1;
		put_row(c, path, i + 1, caller == COMPARE_NONE ? 0 : number[caller], columns.count,
			report);
	}
	free(columns.at);
	free(number);
}

void view_paths(const struct comparison *c, struct report *report)
{
	struct metric metric = first_metric(c->metrics, metric_is_by_path);
	uint32_t *order = paths_by_change(c->paths, &metric);

	view_tree(c, order, &metric, report);
	view_all(c, order, report);
	free(order);
}
