/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/estimates.h"

#include <math.h>
#include <string.h>

#include "analyzers/simpoint/spawn.h"
#include "cli/common/checked.h"

/* Facts about the slice, which are not results. */
static const char *const not_results[] = { "slice_weight",
					   "slice_interval",
					   "parent_instructions",
					   "samplers",
					   "fetch_samplers",
					   "warmup",
					   NULL };

/* Numbers of our analyzers that tell rows apart. */
static const char *const our_keys[] = {
	"block_size", "cache_blocks", "cache_size_bytes", "distance_from", "distance_to", "from",
	"to",         "line_bytes",   "process",          "size_bytes",    "thread",      "ways",
	NULL
};
/* Numbers of our analyzers that are whole but no counts. */
static const char *const our_means[] = { "p10", "p50", "p90", "p99", NULL };
/* Numbers of our analyzers that are parts of a sum, and 0 where there is nothing. */
static const char *const our_shares[] = { "share", "share_percent", NULL };
/* Numbers without an estimate: of different things, extremes, sizes, places, ranks, parameters. */
/* clang-format off */
static const char *const not_estimated[] = {
	"data_blocks", "data_pages", "instruction_blocks", "instruction_pages", "cold", "cold_by_thread",
	"working_set_bytes", "distinct_functions", "distinct_call_paths", "max", "bytes_at_peak",
	"objects_at_peak", "peak_after", "bytes_at_end", "objects_at_end", "size", "allocated", "freed",
	"rank", "period", "seed", "min_distance", "max_distance", NULL
};
/* clang-format on */
/* Tables without an estimate: the sizes of caches at which the miss ratio changes, and call paths,
 * which have other numbers in each slice. */
static const char *const tables_not_estimated[] = { "call_paths", "miss_ratio_curve", NULL };

static bool in_list(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

/* Returns true if a name, or its last part, is in the list: "tag_to_ret_p50" is a p50. */
static bool is_kind_of(const char *const *list, const char *name)
{
	const char *last = strrchr(name, '_');

	return in_list(list, name) || (last && in_list(list, last + 1));
}

static struct estimate *find(struct estimates *e, const char *table, const char *row,
			     const char *name)
{
	char *key = text_format("%s\t%s\t%s", table, row, name);
	json_t *place;

	if (!e->index)
		e->index = checked(json_object());
	place = json_object_get(e->index, key);
	if (!place) {
		CHECKED_RESERVE(*e, e->n + 1);
		e->at[e->n] = (struct estimate){
			.table = text_format("%s", table),
			.row = text_format("%s", row),
			.name = text_format("%s", name),
			.whole = NAN,
		};
		place = checked(json_integer((json_int_t)e->n++));
		if (json_object_set_new_nocheck(e->index, key, place) < 0)
			out_of_memory();
	}
	free(key);
	return &e->at[json_integer_value(place)];
}

static void note_fraction(struct estimates *e, const char *table, const char *name)
{
	char *key = text_format("%s\t%s", table, name);

	if (!e->fractions)
		e->fractions = checked(json_object());
	if (json_object_set_new_nocheck(e->fractions, key, json_true()) < 0)
		out_of_memory();
	free(key);
}

static bool has_fractions(const struct estimates *e, const char *table, const char *name)
{
	char *key = text_format("%s\t%s", table, name);
	bool has = json_object_get(e->fractions, key);

	free(key);
	return has;
}

static void leave_out(struct estimates *e, const char *name)
{
	if (!e->left_out)
		e->left_out = checked(json_object());
	if (json_object_set_new_nocheck(e->left_out, name, json_true()) < 0)
		out_of_memory();
}

/* The function that is called for each number of a result. */
struct visit {
	struct estimates *estimates;
	double weight, instructions; /* of a slice; weight NaN: of the whole */
};

static void keep_value(const struct estimates *all, struct estimate *e, double value)
{
	if (!all->n_slices)
		return;
	if (!e->values) {
		e->values = checked_array(all->n_slices, sizeof(*e->values));
		for (size_t i = 0; i < all->n_slices; i++)
			e->values[i] = NAN;
	}
	e->values[all->slice] = value;
}

static void take_number(const struct visit *v, const char *table, const char *row, const char *name,
			const json_t *number)
{
	struct estimate *e = find(v->estimates, table, row, name);
	double value = json_number_value(number);

	if (json_is_real(number))
		note_fraction(v->estimates, table, name);
	if (isnan(v->weight)) {
		e->whole = value;
		return;
	}
	keep_value(v->estimates, e, value);
	e->weights += v->weight;
	e->sum += v->weight * value;
	e->rate += v->weight * value / v->instructions;
	if (v->weight * value / v->instructions > e->greatest) {
		e->greatest = v->weight * value / v->instructions;
		e->greatest_weight = v->weight;
	}
}

static bool is_key(const struct estimates *e, const char *name, const json_t *value)
{
	return json_is_integer(value) && (in_list(our_keys, name) || in_list(e->keys, name));
}

/* Returns the strings of a row, joined, with its numbers that are keys. */
static char *key_of_row(const struct estimates *e, const json_t *row)
{
	char *key = text_format("%s", "");
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)row, name, value) {
		const char *space = *key ? " " : "";
		char *longer;

		if (json_is_string(value))
			longer = text_format("%s%s%s", key, space, json_string_value(value));
		else if (is_key(e, name, value))
			longer = text_format("%s%s%s=%lld", key, space, name,
					     (long long)json_integer_value(value));
		else
			continue;
		free(key);
		key = longer;
	}
	return key;
}

static void take_table(const struct visit *v, const char *table, const json_t *rows)
{
	json_t *seen = checked(json_object());

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		char *key = key_of_row(v->estimates, row);
		json_int_t times = json_integer_value(json_object_get(seen, key)) + 1;
		const char *name;
		json_t *value;

		json_object_set_new_nocheck(seen, key, json_integer(times));
		if (times > 1) { /* rows that nothing tells apart: by their order */
			char *numbered = text_format("%s #%d", key, (int)times);

			free(key);
			key = numbered;
		}
		json_object_foreach ((json_t *)row, name, value)
			if (json_is_number(value) && !is_key(v->estimates, name, value))
				take_number(v, table, key, name, value);
		free(key);
	}
	json_decref(seen);
}

static void take_result(const struct visit *v, const json_t *result)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)result, name, value) {
		if (in_list(not_results, name))
			continue;
		if (json_is_array(value) && in_list(tables_not_estimated, name)) {
			leave_out(v->estimates, name);
			continue;
		}
		if (json_is_number(value))
			take_number(v, "", "", name, value);
		else if (json_is_array(value))
			take_table(v, name, value);
	}
}

bool estimates_add(struct estimates *e, const json_t *result, double weight,
		   const char *instructions)
{
	const json_t *count = json_object_get(result, instructions);
	struct visit visit = { e, weight, json_number_value(count) };

	if (!json_is_number(count) || !(visit.instructions > 0))
		return false;
	take_result(&visit, result);
	if (e->n_slices) {
		if (!e->instructions)
			e->instructions = checked_array(e->n_slices, sizeof(*e->instructions));
		e->instructions[e->slice] = visit.instructions;
	}
	e->weights += weight;
	return true;
}

void estimates_set_whole(struct estimates *e, const json_t *result)
{
	struct visit visit = { e, NAN, 0 };

	take_result(&visit, result);
}

static void keep_some(double *values, const bool *slices, size_t n)
{
	for (size_t i = 0, to = 0; values && i < n; i++)
		if (slices[i])
			values[to++] = values[i];
}

void estimates_keep(struct estimates *all, const bool *slices)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		keep_some(all->at[i].values, slices, all->n_slices);
	keep_some(all->instructions, slices, all->n_slices);
	for (size_t i = 0; i < all->n_slices; i++)
		n += slices[i];
	all->n_slices = n;
}

static enum combining combining(const struct estimates *all, const struct estimate *e)
{
	bool fractions = has_fractions(all, e->table, e->name);

	if (in_list(all->sums, e->name))
		return fractions ? COMBINE_RATE : COMBINE_COUNT;
	if (in_list(all->means, e->name))
		return COMBINE_MEAN;
	if (is_kind_of(not_estimated, e->name))
		return COMBINE_NOT;
	return fractions || is_kind_of(our_means, e->name) ? COMBINE_MEAN : COMBINE_COUNT;
}

static double estimate(const struct estimates *all, const struct estimate *e, double instructions)
{
	switch (e->combining) {
	case COMBINE_NOT: return NAN;
	case COMBINE_MEAN:
		return is_kind_of(our_shares, e->name) || !(e->weights > 0) ? e->sum / all->weights
									    : e->sum / e->weights;
	default: return e->rate / all->weights * instructions;
	}
}

void estimates_finish(struct estimates *all, double instructions)
{
	for (size_t i = 0; i < all->n; i++) {
		struct estimate *e = &all->at[i];

		e->combining = combining(all, e);
		e->value = estimate(all, e, instructions);
		if (e->combining == COMBINE_NOT)
			leave_out(all, e->name);
	}
}

/* ---- bounds ------------------------------------------------------------------------------- */

/* The numerator and denominator of an estimate's ratio, by slice. */
struct terms {
	double *x, *y;
	bool by_weight;
	double scale;
};

static struct terms terms_of(const struct estimates *all, const struct estimate *e,
			     double instructions)
{
	bool mean = e->combining == COMBINE_MEAN;
	bool share = is_kind_of(our_shares, e->name) || !(e->weights > 0);
	struct terms t = { checked_array(all->n_slices, sizeof(double)),
			   checked_array(all->n_slices, sizeof(double)), mean,
			   mean ? 1 : instructions };

	for (size_t i = 0; i < all->n_slices; i++) {
		bool has = e->values && !isnan(e->values[i]);

		t.x[i] = has ? e->values[i] : 0;
		t.y[i] = !mean ? all->instructions[i] : has || share;
	}
	return t;
}

static void free_terms(struct terms *t)
{
	free(t->x);
	free(t->y);
}

void estimates_bound(struct estimates *all, double instructions, const struct strata *strata,
		     const struct confidence_options *options)
{
	for (size_t i = 0; i < all->n; i++) {
		struct estimate *e = &all->at[i];
		struct terms t = terms_of(all, e, instructions);

		e->bounds = (struct confidence){ NAN, NAN, NAN, NAN, NAN };
		if (e->combining != COMBINE_NOT)
			e->bounds = confidence_of(strata, t.x, t.y, t.by_weight, options);
		e->bounds.low *= t.scale;
		e->bounds.high *= t.scale;
		e->value = e->bounds.value *= t.scale;
		if (e->combining == COMBINE_COUNT) /* there are no negative ones */
			e->bounds.low = e->bounds.low < 0 ? 0 : e->bounds.low;
		free_terms(&t);
	}
}

const struct estimate *estimates_find(const struct estimates *e, const char *name)
{
	for (size_t i = 0; i < e->n; i++)
		if (!*e->at[i].table && !strcmp(e->at[i].name, name))
			return &e->at[i];
	return NULL;
}

void estimates_spreads(const struct estimates *all, const struct estimate *e,
		       const struct strata *strata, double *spreads, double *means)
{
	struct terms t = terms_of(all, e, 1);

	confidence_spreads(strata, t.x, t.y, spreads, means);
	free_terms(&t);
}

char *estimates_left_out(const struct estimates *e)
{
	char *names = text_format("%s", "");
	const char *name;
	json_t *value;

	json_object_foreach (e->left_out, name, value) {
		char *longer = text_format("%s%s%s", names, *names ? ", " : "", name);

		free(names);
		names = longer;
	}
	return names;
}

void estimates_free(struct estimates *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->at[i].table);
		free(e->at[i].row);
		free(e->at[i].name);
		free(e->at[i].values);
	}
	free(e->at);
	free(e->instructions);
	json_decref(e->index);
	json_decref(e->fractions);
	json_decref(e->left_out);
	*e = (struct estimates){ 0 };
}

bool estimate_is_of_one_slice(const struct estimates *all, const struct estimate *e, double *part,
			      double *weight)
{
	const double least = 0.5, more = 4;

	if (e->combining != COMBINE_COUNT || !(e->rate > 0))
		return false;
	*part = e->greatest / e->rate;
	*weight = e->greatest_weight / all->weights;
	return *part >= least && *part >= more * *weight;
}

double estimate_error(const struct estimate *e)
{
	const double rounding = 1e-9; /* percent: sums of weights are that exact */
	double error;

	if (e->whole == 0 && e->value == 0)
		return 0;
	error = e->whole == 0 ? NAN : 100 * (e->value - e->whole) / fabs(e->whole);
	return fabs(error) < rounding ? 0 : error;
}
