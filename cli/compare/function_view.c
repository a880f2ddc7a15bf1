/* SPDX-License-Identifier: MIT */
#include "cli/compare/function_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

/* ---- columns ----------------------------------------------------------------------------- */

void add_view_column(struct view_columns *columns, const char *name, enum report_type type)
{
	if (name) {
		uint32_t number = text_number(columns->texts, name, strlen(name));

		name = columns->texts->at[number];
	}
	CHECKED_RESERVE(*columns, columns->count + 1);
	columns->at[columns->count++] = (struct report_column){ name, type, "" };
}

static void add_value_columns(struct view_columns *columns, const struct metrics *metrics)
{
	static const char *const endings[] = { "a", "b", "change" };

	for (size_t i = 0; i < metrics->count; i++)
		for (unsigned j = 0; metric_is_by_function(&metrics->at[i]) && j < 3; j++) {
			char *name = text_format("%s_%s", metrics->at[i].key, endings[j]);

			add_view_column(columns, name, j < 2 ? REPORT_U64 : REPORT_CHANGE);
			free(name);
		}
}

static struct report_cell *put_values(struct report_cell *cell, uint64_t a, uint64_t b)
{
	*cell++ = report_integer_cell(a);
	*cell++ = report_integer_cell(b);
	*cell++ = report_integer_cell(b - a);
	return cell;
}

/* ---- names ------------------------------------------------------------------------------- */

static const struct compared_function *function_in(const struct matching *m, uint32_t pair,
						   unsigned side)
{
	uint32_t index = m->pairs.at[pair].of[side];

	return index == COMPARE_NONE ? NULL : &m->results[side].functions.at[index];
}

char *name_of_pair(const struct matching *m, uint32_t pair)
{
	const struct compared_function *a = function_in(m, pair, 0), *b = function_in(m, pair, 1);

	if (!a || !b)
		return checked_copy((a ? a : b)->name);
	return a->name_number == b->name_number ? checked_copy(b->name)
						: text_format("%s -> %s", a->name, b->name);
}

/* Returns the name of a pair's module, and that of the module it was in before. Free it. */
static char *module_of_pair(const struct matching *m, uint32_t pair)
{
	const struct compared_function *a = function_in(m, pair, 0), *b = function_in(m, pair, 1);

	if (!a || !b)
		return checked_copy((a ? a : b)->module);
	return a->stable_module == b->stable_module ? checked_copy(b->module)
						    : text_format("%s -> %s", a->module, b->module);
}

/* ---- order ------------------------------------------------------------------------------- */

struct sorted_pair {
	uint32_t pair;
	uint64_t change, cost; /* of the first metric */
	const char *name;
};

static int compare_sorted(const void *a, const void *b)
{
	const struct sorted_pair *x = a, *y = b;
	int order;

	if (x->change != y->change)
		return x->change > y->change ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : x->pair < y->pair ? -1 : 1;
}

/* Returns all pairs, those first whose values of the metric differ most. Free them. */
static struct sorted_pair *sort_pairs(const struct matching *m, const struct metric *metric)
{
	struct sorted_pair *sorted = checked_array(m->pairs.count, sizeof(*sorted));

	for (uint32_t i = 0; i < m->pairs.count; i++) {
		uint64_t a = value_of_pair(m, i, 0, metric), b = value_of_pair(m, i, 1, metric);

		sorted[i] = (struct sorted_pair){ i, a > b ? a - b : b - a, a + b,
						  function_of_pair(m, i)->name };
	}
	if (m->pairs.count)
		qsort(sorted, m->pairs.count, sizeof(*sorted), compare_sorted);
	return sorted;
}

/* ---- the table --------------------------------------------------------------------------- */

/* Returns how a pair was matched, unless its names say so: a name, or "only in a". */
static const char *match_word(const struct function_pair *pair)
{
	if (pair->of[0] == COMPARE_NONE)
		return "only in b";
	if (pair->of[1] == COMPARE_NONE)
		return "only in a";
	return matched_by_word(pair->how);
}

struct metric first_metric(const struct metrics *metrics, bool (*has)(const struct metric *))
{
	struct metric instructions;

	for (size_t i = 0; i < metrics->count; i++)
		if (has(&metrics->at[i]))
			return metrics->at[i];
	parse_metric("instructions", strlen("instructions"), &instructions);
	return instructions;
}

static void add_change_columns(struct view_columns *columns, const struct comparison *c,
			       const struct metric *first)
{
	for (size_t i = 0; i < c->metrics->count; i++) {
		const struct metric *metric = &c->metrics->at[i];
		char *name;

		if (!metric_is_by_function(metric) || !strcmp(metric->name, first->name))
			continue;
		name = text_format("%s_change", metric->key);
		add_view_column(columns, name, REPORT_CHANGE);
		free(name);
	}
}

static void put_changed(const struct comparison *c, uint32_t pair, const struct metric *first,
			size_t n_columns, struct report *report)
{
	const struct matching *m = c->matching;
	uint64_t a = value_of_pair(m, pair, 0, first), b = value_of_pair(m, pair, 1, first);
	struct report_cell *cells = checked_array(n_columns, sizeof(*cells)), *cell = cells;
	char *name = name_of_pair(m, pair), *module = module_of_pair(m, pair);

	*cell++ = report_integer_cell(b - a);
	*cell++ = report_text_cell(name);
	*cell++ = report_integer_cell(a);
	*cell++ = report_integer_cell(b);
	for (size_t i = 0; i < c->metrics->count; i++) {
		const struct metric *metric = &c->metrics->at[i];

		if (metric_is_by_function(metric) && strcmp(metric->name, first->name))
			*cell++ = report_integer_cell(value_of_pair(m, pair, 1, metric) -
						      value_of_pair(m, pair, 0, metric));
	}
	*cell++ = report_text_cell(match_word(&m->pairs.at[pair]));
	*cell++ = report_text_cell(module);
	report_row_of_cells(report, cells);
	free(cells);
	free(name);
	free(module);
}

static void view_changed(const struct comparison *c, const struct sorted_pair *sorted,
			 const struct metric *first, struct report *report)
{
	struct view_columns columns = { .texts = c->texts };
	char *head = text_format("%s_change", first->key);

	if (!c->matching->pairs.count || !sorted[0].change) {
		free(head);
		return;
	}
	add_view_column(&columns, head, REPORT_CHANGE);
	add_view_column(&columns, "function", REPORT_STRING);
	add_view_column(&columns, "a", REPORT_U64);
	add_view_column(&columns, "b", REPORT_U64);
	add_change_columns(&columns, c, first);
	add_view_column(&columns, "matched_by", REPORT_STRING);
	add_view_column(&columns, "module", REPORT_STRING);
	add_view_column(&columns, NULL, 0);
	report_text_table(report, "functions", columns.at);
	for (size_t i = 0; i < c->matching->pairs.count && i < c->top && sorted[i].change; i++)
		put_changed(c, sorted[i].pair, first, columns.count, report);
	free(columns.at);
	free(head);
}

static void put_pair(const struct comparison *c, uint32_t pair, struct report_cell *cell)
{
	const struct matching *m = c->matching;
	const struct compared_function *a = function_in(m, pair, 0), *b = function_in(m, pair, 1);
	double similarity = m->pairs.at[pair].similarity;

	*cell++ = report_text_cell(a ? a->name : NULL);
	*cell++ = report_text_cell(a ? a->module : NULL);
	*cell++ = report_text_cell(b ? b->name : NULL);
	*cell++ = report_text_cell(b ? b->module : NULL);
	*cell++ = report_text_cell(match_word(&m->pairs.at[pair]));
	*cell = report_real_cell(100 * similarity);
	cell++->known = isfinite(similarity);
	for (size_t i = 0; i < c->metrics->count; i++)
		if (metric_is_by_function(&c->metrics->at[i]))
			cell = put_values(cell, value_of_pair(m, pair, 0, &c->metrics->at[i]),
					  value_of_pair(m, pair, 1, &c->metrics->at[i]));
}

static void view_all(const struct comparison *c, const struct sorted_pair *sorted,
		     struct report *report)
{
	struct view_columns columns = { .texts = c->texts };
	struct report_cell *cells;

	add_view_column(&columns, "function_a", REPORT_STRING);
	add_view_column(&columns, "module_a", REPORT_STRING);
	add_view_column(&columns, "function_b", REPORT_STRING);
	add_view_column(&columns, "module_b", REPORT_STRING);
	add_view_column(&columns, "matched_by", REPORT_STRING);
	add_view_column(&columns, "similarity_percent", REPORT_F64);
	add_value_columns(&columns, c->metrics);
	add_view_column(&columns, NULL, 0);
	report_data_table(report, "functions", columns.at);
	cells = checked_array(columns.count, sizeof(*cells));
	for (size_t i = 0; i < c->matching->pairs.count; i++) {
		put_pair(c, sorted[i].pair, cells);
		report_row_of_cells(report, cells);
	}
	free(cells);
	free(columns.at);
}

/* Returns the first metric in which a function changed, or else the first one. */
static struct metric first_changed(const struct comparison *c)
{
	for (size_t i = 0; i < c->metrics->count; i++) {
		const struct metric *metric = &c->metrics->at[i];

		for (uint32_t j = 0; metric_is_by_function(metric) && j < c->matching->pairs.count;
		     j++)
			if (value_of_pair(c->matching, j, 0, metric) !=
			    value_of_pair(c->matching, j, 1, metric))
				return *metric;
	}
	return first_metric(c->metrics, metric_is_by_function);
}

void view_functions(const struct comparison *c, struct report *report)
{
	struct metric first = first_changed(c);
	struct sorted_pair *sorted = sort_pairs(c->matching, &first);

	view_changed(c, sorted, &first, report);
	view_all(c, sorted, report);
	free(sorted);
}
