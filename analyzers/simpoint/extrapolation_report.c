/* SPDX-License-Identifier: MIT */
/* Writes the estimates and, if the true results are known, their errors. */
#include <math.h>
#include <string.h>

#include "analyzers/simpoint/extrapolation.h"
#include "cli/common/checked.h"

/* The sizes of relative errors, in percent, of one name in one table, or of all of a table. */
struct errors {
	const char *table; /* empty: of numbers outside of tables */
	double sum, weights, greatest;
	uint64_t n;
};

static void add_error(struct errors *errors, double error, double weight)
{
	errors->sum += weight * error;
	errors->weights += weight;
	errors->greatest = error > errors->greatest ? error : errors->greatest;
	errors->n++;
}

/* Adds a name's errors, as one number of weight 1, to those of its table, or of all. */
static void add_name(struct errors *errors, const struct errors *name)
{
	if (!(name->weights > 0))
		return;
	errors->sum += name->sum / name->weights;
	errors->weights++;
	errors->greatest = name->greatest > errors->greatest ? name->greatest : errors->greatest;
	errors->n += name->n;
}

static double mean_error(const struct errors *errors)
{
	return errors->weights > 0 ? errors->sum / errors->weights : NAN;
}

static double greatest_error(const struct errors *errors)
{
	return errors->n ? errors->greatest : NAN;
}

/* Returns the place of a pair of words in an index; *n, if it is new. */
static size_t place_of(json_t *index, const char *table, const char *word, size_t *n)
{
	char *key = text_format("%s\t%s", table, word);
	const json_t *place = json_object_get(index, key);
	size_t at = place ? (size_t)json_integer_value(place) : (*n)++;

	if (!place &&
	    json_object_set_new_nocheck(index, key, checked(json_integer((json_int_t)at))) < 0)
		out_of_memory();
	free(key);
	return at;
}

/*
 * Returns how much each error weighs: a count its true value, another number the first count of its
 * row.
 */
static double *weigh_errors(const struct estimates *e)
{
	double *weights = checked_array(e->n, sizeof(*weights));
	double *rows = checked_array(e->n, sizeof(*rows));
	json_t *index = checked(json_object());
	size_t n = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < e->n; i++) {
			const struct estimate *x = &e->at[i];
			size_t row = place_of(index, x->table, x->row, &n);
			bool counts = x->combining == COMBINE_COUNT && x->whole > 0;

			if (counts && !(rows[row] > 0))
				rows[row] = x->whole;
			weights[i] = counts && *x->table          ? x->whole
				     : *x->table && rows[row] > 0 ? rows[row]
								  : 1;
		}
	json_decref(index);
	free(rows);
	return weights;
}

/* Adds up the errors of all numbers, and of each table, which are at most as many as numbers;
 * returns how many tables there are. */
static size_t sum_errors(const struct estimates *e, struct errors *all, struct errors *tables)
{
	struct errors *names = checked_array(e->n, sizeof(*names));
	double *weights = weigh_errors(e);
	json_t *index = checked(json_object()), *index_of_tables = checked(json_object());
	size_t n_names = 0, n = 0;

	for (size_t i = 0; i < e->n; i++) {
		double error = fabs(estimate_error(&e->at[i]));
		struct errors *name =
			&names[place_of(index, e->at[i].table, e->at[i].name, &n_names)];

		name->table = e->at[i].table;
		if (!isnan(error))
			add_error(name, error, weights[i]);
	}
	for (size_t i = 0; i < n_names; i++) {
		struct errors *table = &tables[place_of(index_of_tables, names[i].table, "", &n)];

		table->table = names[i].table;
		add_name(table, &names[i]);
		add_name(all, &names[i]);
	}
	json_decref(index);
	json_decref(index_of_tables);
	free(names);
	free(weights);
	return n;
}

static void put_errors(const struct estimates *e, struct report *r)
{
	static const struct report_column columns[] = {
		{ "table", REPORT_STRING, "" },
		{ "numbers", REPORT_U64, "" },
		{ "mean_error", REPORT_F64, "%" },
		{ "greatest_error", REPORT_F64, "%" },
		{ NULL, 0, NULL },
	};
	struct errors all = { 0 }, *tables = checked_array(e->n, sizeof(*tables));
	size_t n = sum_errors(e, &all, tables);

	report_u64(r, "numbers_compared", "", all.n);
	report_f64(r, "mean_error", "%", mean_error(&all));
	report_f64(r, "greatest_error", "%", greatest_error(&all));
	report_table(r, "errors", columns);
	for (size_t i = 0; i < n; i++)
		report_row(r, *tables[i].table ? tables[i].table : NULL, tables[i].n,
			   mean_error(&tables[i]), greatest_error(&tables[i]));
	free(tables);
}

enum { N_COLUMNS = 10, BOUNDS = 4, N_BOUNDS = 4, WHOLE = BOUNDS + N_BOUNDS };

/* The columns of estimates; they outlive the report. */
struct head {
	struct report_column columns[N_COLUMNS + 1];
};

static struct head make_head(enum report_type type, const struct extrapolation *x)
{
	struct head head = { {
		{ "table", REPORT_STRING, "" },
		{ "row", REPORT_STRING, "" },
		{ "name", REPORT_STRING, "" },
		{ "estimate", type, "" },
		{ "low", type, "" },
		{ "high", type, "" },
		{ "effective_n", REPORT_F64, "" },
		{ "needed_n", REPORT_F64, "" },
		{ "whole", type, "" },
		{ "error", REPORT_F64, "%" },
	} };

	if (!x->o->whole)
		head.columns[WHOLE].name = NULL;
	if (!x->has_bounds)
		memmove(head.columns + BOUNDS, head.columns + WHOLE,
			(N_COLUMNS + 1 - WHOLE) * sizeof(*head.columns));
	return head;
}

static struct report_cell text_cell(const char *text)
{
	return (struct report_cell){ .known = *text, .string = text };
}

static struct report_cell number_cell(enum report_type type, double value)
{
	if (type == REPORT_U64 && !isnan(value))
		return (struct report_cell){ .known = true, .u64 = (uint64_t)(value + 0.5) };
	return (struct report_cell){ .known = !isnan(value), .f64 = value };
}

static void put_estimate(const struct extrapolation *x, const struct estimate *e, struct report *r,
			 enum report_type type)
{
	struct report_cell cells[N_COLUMNS] = {
		text_cell(e->table),
		text_cell(e->row),
		text_cell(e->name),
		number_cell(type, e->value),
		number_cell(type, e->bounds.low),
		number_cell(type, e->bounds.high),
		number_cell(REPORT_F64, e->bounds.effective),
		number_cell(REPORT_F64, ceil(e->bounds.needed)),
		number_cell(type, e->whole),
		number_cell(REPORT_F64, estimate_error(e)),
	};

	if (!x->has_bounds)
		memmove(cells + BOUNDS, cells + WHOLE, (N_COLUMNS - WHOLE) * sizeof(*cells));
	report_row_of_cells(r, cells);
}

static bool fits_u64(double value)
{
	return isnan(value) || (value >= 0 && value < 1e15);
}

/* Returns true if text shows an estimate without a fraction. */
static bool is_count(const struct estimate *e)
{
	return (e->combining == COMBINE_COUNT || e->combining == COMBINE_NOT) &&
	       fits_u64(e->value) && fits_u64(e->whole) &&
	       (isnan(e->whole) || e->whole == floor(e->whole));
}

static void put_counts_or_others(const struct extrapolation *x, struct report *r, bool counts,
				 const struct head *head)
{
	const struct estimates *all = &x->estimates;
	bool begun = false;

	for (size_t i = 0; i < all->n; i++) {
		if (is_count(&all->at[i]) != counts)
			continue;
		if (!begun)
			report_table(r, counts ? "counts" : "shares_and_means", head->columns);
		begun = true;
		put_estimate(x, &all->at[i], r, counts ? REPORT_U64 : REPORT_F64);
	}
}

static const char *const kinds[] = { "none", "stratified", "collapsed" };

/* Reports how much the number of --metric varies in each stratum. */
static void put_strata(const struct extrapolation *x, struct report *r)
{
	static const struct report_column columns[] = {
		{ "stratum", REPORT_U64, "" }, { "intervals", REPORT_U64, "" },
		{ "points", REPORT_U64, "" },  { "mean", REPORT_F64, "" },
		{ "spread", REPORT_F64, "" },  { NULL, 0, NULL },
	};
	const struct strata *s = &x->strata;
	double *spreads = checked_array(s->n, sizeof(*spreads));
	double *means = checked_array(s->n, sizeof(*means));

	estimates_spreads(&x->estimates, estimates_find(&x->estimates, x->o->metric), s, spreads,
			  means);
	report_string(r, "metric", x->o->metric);
	report_table(r, "strata", columns);
	for (size_t h = 0; h < s->n; h++)
		report_row(r, s->at[h].number, (uint64_t)s->at[h].intervals,
			   (uint64_t)s->at[h].points, means[h], spreads[h]);
	free(spreads);
	free(means);
}

static void put_head(const struct extrapolation *x, struct report *r)
{
	report_u64(r, "slices", "", x->o->n_inputs);
	report_u64(r, "instructions", "", (uint64_t)x->total);
	report_f64(r, "simulated", "%", 100 * x->simulated / x->total);
	report_f64(r, "weights", "", x->estimates.weights);
	report_string(r, "counts_of",
		      !x->is_part         ? "program"
		      : x->o->renormalise ? "program, renormalised"
					  : "part of program with slices");
	if (x->o->confidence_given) {
		report_f64(r, "confidence", "%", 100 * x->o->confidence.confidence);
		report_string(r, "bounds",
			      kinds[x->strata.n ? confidence_kind(&x->strata) : CONFIDENCE_NONE]);
	}
	if (x->o->metric)
		put_strata(x, r);
	if (x->o->whole)
		put_errors(&x->estimates, r);
}

void extrapolation_report(const struct extrapolation *x)
{
	struct report *r = report_begin(stdout, x->o->format);
	const struct head counts = make_head(REPORT_U64, x), numbers = make_head(REPORT_F64, x);

	if (x->o->format != REPORT_CSV)
		put_head(x, r);
	if (x->o->format == REPORT_TEXT) { /* a column has fractions in all rows or in none */
		put_counts_or_others(x, r, true, &counts);
		put_counts_or_others(x, r, false, &numbers);
	} else {
		report_table(r, "estimates", numbers.columns);
		for (size_t i = 0; i < x->estimates.n; i++)
			put_estimate(x, &x->estimates.at[i], r, REPORT_F64);
	}
	report_end(r);
}
