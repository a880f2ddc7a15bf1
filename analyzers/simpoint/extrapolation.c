/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/extrapolation.h"

#include <math.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"

/* ---- weights ----------------------------------------------------------------------------- */

/* Reads "WEIGHT CLUSTER" lines, in the order of the results. */
static bool read_weights(struct extrapolation *x)
{
	const struct extrapolate_options *o = x->o;
	FILE *in;
	char *line = NULL;
	size_t size = 0, n = 0;
	const char *wrong;

	if (!expect_file(o->weights, "a .weights file", 0))
		return false;
	in = open_input(o->weights);
	if (!in) {
		command_error("%s: %m", o->weights);
		return false;
	}
	x->weights = checked_array(o->n_inputs, sizeof(*x->weights));
	while (read_line(&line, &size, in) > 0) {
		char *end;
		double weight = strtod(line, &end);

		if (end == line)
			continue;
		if (n < o->n_inputs)
			x->weights[n] = weight;
		n++;
	}
	wrong = read_line_fault();
	free(line);
	fclose(in);
	if (wrong)
		command_error("%s: %s", o->weights, wrong);
	else if (n != o->n_inputs)
		command_error("%s: has %zu weights for %zu results", o->weights, n, o->n_inputs);
	return !wrong && n == o->n_inputs;
}

/*
 * Returns the point of the plan that has a slice's interval; of n results without one, that of its
 * place.
 */
static size_t point_of(const struct strata *s, size_t i, size_t n, const json_t *result)
{
	const json_t *interval = json_object_get(result, "slice_interval");
	size_t p = 0;

	if (!json_is_number(interval))
		return s->n_points == n ? i : s->n_points;
	while (p < s->n_points && (double)s->intervals[p] != json_number_value(interval))
		p++;
	return p;
}

/* Finds the point that a result is of. Returns false after a message if there is none. */
static bool find_point(struct extrapolation *x, size_t i, const json_t *result)
{
	size_t p = point_of(&x->strata, i, x->o->n_inputs, result);

	if (!x->strata.n)
		return true;
	if (p == x->strata.n_points) {
		command_error(
			json_object_get(result, "slice_interval")
				? "%s: its slice is no point of %s"
				: "%s: does not name its point of %s, which is needed because there are fewer results than points",
			x->o->inputs[i], x->o->plan);
		return false;
	}
	if (x->has_result[p]) {
		command_error("%s: is of the same point of %s as another result", x->o->inputs[i],
			      x->o->plan);
		return false;
	}
	x->has_result[p] = true;
	x->estimates.slice = p;
	return true;
}

/* Returns the weight of a result, or NaN after a message. */
static double weight_of(const struct extrapolation *x, size_t i, const json_t *result)
{
	const json_t *own = json_object_get(result, "slice_weight");
	double weight = x->weights            ? x->weights[i]
			: x->strata.n         ? x->strata.weights[x->estimates.slice]
			: json_is_number(own) ? json_number_value(own)
					      : NAN;

	if (isnan(weight))
		command_error(
			"%s: has no weight (only slices of simulation points have one); use --weights",
			x->o->inputs[i]);
	else if (!(weight > 0 && weight <= 1))
		command_error("%s: its weight is %g, not between 0 and 1", x->o->inputs[i], weight);
	else
		return weight;
	return NAN;
}

/* ---- extrapolating ----------------------------------------------------------------------- */

/* The name of the number that counts instructions: MICA's analyses have another one, for they count
 * a repeated string instruction otherwise. */
static const char *name_of_instructions(const struct extrapolate_options *o, const json_t *result)
{
	if (o->per)
		return o->per;
	return json_object_get(result, "mica_instructions") &&
			       !json_object_get(result, "instructions")
		       ? "mica_instructions"
		       : "instructions";
}

static bool add_slice(struct extrapolation *x, size_t i)
{
	const struct extrapolate_options *o = x->o;
	json_t *result = slice_result(x, i);
	double weight = result && find_point(x, i, result) ? weight_of(x, i, result) : NAN, parent;
	bool added = false;

	if (!isnan(weight)) {
		const char *per = name_of_instructions(o, result);

		added = estimates_add(&x->estimates, result, weight, per);
		if (!added)
			command_error("%s: has no number '%s' of instructions; see --per",
				      o->inputs[i], per);
		x->simulated += json_number_value(json_object_get(result, per));
		parent = json_number_value(json_object_get(result, "parent_instructions"));
		if (added && !o->total && parent > 0 && x->total > 0 && parent != x->total) {
			command_error("%s: is a slice of another trace than %s", o->inputs[i],
				      o->inputs[0]);
			added = false;
		}
		x->total = x->total > 0 ? x->total : parent;
	}
	json_decref(result);
	return added;
}

static bool add_whole(struct extrapolation *x)
{
	json_t *whole;

	if (!x->o->whole)
		return true;
	whole = whole_result(x);
	if (!whole)
		return false;
	estimates_set_whole(&x->estimates, whole);
	if (!(x->total > 0))
		x->total = json_number_value(
			json_object_get(whole, name_of_instructions(x->o, whole)));
	json_decref(whole);
	return true;
}

static void note_left_out(const struct estimates *estimates)
{
	char *names = estimates_left_out(estimates);

	if (*names)
		command_note("not estimated, because they cannot be added over slices: %s", names);
	free(names);
}

/* Reads the plan, whose points the results are of. Returns false after a message. */
static bool read_plan(struct extrapolation *x)
{
	const struct extrapolate_options *o = x->o;

	if (!strata_read(o->plan, &x->strata))
		return false;
	if (x->strata.n_points < o->n_inputs) {
		command_error("%s: has %zu points for %zu results", o->plan, x->strata.n_points,
			      o->n_inputs);
		return false;
	}
	x->estimates.n_slices = x->strata.n_points;
	x->estimates.slice = SIZE_MAX;
	x->has_result = checked_array(x->strata.n_points, sizeof(*x->has_result));
	return true;
}

/* Explains why there are no bounds, or how sure they are. */
static void note_bounds(const struct extrapolation *x)
{
	const struct strata *s = &x->strata;
	enum confidence_kind kind = s->n ? confidence_kind(s) : CONFIDENCE_NONE;

	if (!s->n)
		command_note("no confidence intervals: the strata are not known; give the plan of "
			     "the points with --plan");
	else if (!s->by_chance)
		command_note(
			"no confidence intervals: the points were not drawn at random, so their error is unknown; choose them with trace-simpoint --select=random --points-per-cluster=2");
	else if (kind == CONFIDENCE_NONE)
		command_note("no confidence intervals: a cluster of several intervals has one "
			     "point; choose more with --points-per-cluster=2");
	else if (kind == CONFIDENCE_COLLAPSED)
		command_note(
			"confidence intervals are collapsed: clusters with one point are combined in pairs, so the intervals tend to be too wide");
}

/* Names the numbers, outside of tables, whose estimates depend on one slice. */
static void note_single_slices(const struct estimates *estimates)
{
	char *list = text_format("%s", "");

	for (size_t i = 0; i < estimates->n; i++) {
		const struct estimate *e = &estimates->at[i];
		double part, weight;
		char *longer;

		if (*e->table || !estimate_is_of_one_slice(estimates, e, &part, &weight))
			continue;
		longer = text_format("%s%s%s (%.0f %% from %.2g %% of the program)", list,
				     *list ? ", " : "", e->name, 100 * part, 100 * weight);
		free(list);
		list = longer;
	}
	if (*list)
		command_note(
			"most of each of these estimates comes from one slice, so its error is unknown: %s; draw several points of each cluster, with trace-simpoint --select=random --points-per-cluster=3",
			list);
	free(list);
}

/* Returns false after a message if there is no number of --metric. */
static bool check_metric(const struct extrapolation *x)
{
	if (!x->o->metric || estimates_find(&x->estimates, x->o->metric))
		return true;
	command_error("--metric=%s: the results have no such number outside of tables",
		      x->o->metric);
	return false;
}

/* Leaves the points of the plan out that have no result. */
static void keep_results(struct extrapolation *x)
{
	if (!x->strata.n || x->strata.n_points == x->o->n_inputs)
		return;
	estimates_keep(&x->estimates, x->has_result);
	strata_keep(&x->strata, x->has_result);
}

/* Compares the weights with the whole program. Returns false after a message. */
static bool check_weights(struct extrapolation *x)
{
	const double rounding = 0.001, weights = x->estimates.weights;

	x->is_part = weights < 1 - rounding;
	if (weights > 1 + rounding && !x->o->renormalise) {
		command_error(
			"the weights sum up to %.4g, but must not exceed 1; --renormalise scales them",
			weights);
		return false;
	}
	if (x->is_part && !x->o->renormalise && !x->o->quiet)
		command_note(
			"the slices stand for %.4g %% of the program, and counts are those of this part; --renormalise scales them to the program",
			100 * weights);
	else if (fabs(weights - 1) > rounding && !x->o->quiet)
		command_note("the weights sum up to %.4g; counts are scaled to the whole program",
			     weights);
	return true;
}

/* Returns the instructions of what counts are estimated for. */
static double estimated_instructions(const struct extrapolation *x)
{
	return x->is_part && !x->o->renormalise ? x->total * x->estimates.weights : x->total;
}

static void add_bounds(struct extrapolation *x)
{
	const struct extrapolate_options *o = x->o;

	if (x->strata.n)
		estimates_bound(&x->estimates, estimated_instructions(x), &x->strata,
				&o->confidence);
	x->has_bounds = o->confidence_given && x->strata.n &&
			confidence_kind(&x->strata) != CONFIDENCE_NONE;
	if (o->confidence_given && !o->quiet)
		note_bounds(x);
	if (x->has_bounds && x->is_part && !o->quiet)
		command_note(
			"the confidence intervals do not include the part of the program without slices");
}

bool extrapolation_compute(struct extrapolation *x)
{
	x->total = (double)x->o->total;
	if (x->o->plan && !read_plan(x))
		return false;
	if (x->o->weights && !read_weights(x))
		return false;
	for (size_t i = 0; i < x->o->n_inputs; i++)
		if (!add_slice(x, i))
			return false;
	keep_results(x);
	if (!add_whole(x))
		return false;
	if (!(x->total > 0) && x->strata.instructions > 0)
		x->total = x->strata.instructions;
	if (!(x->total > 0)) {
		command_error("the instructions of the whole program are not known; use --total or "
			      "--whole");
		return false;
	}
	if (!check_weights(x))
		return false;
	estimates_finish(&x->estimates, estimated_instructions(x));
	add_bounds(x);
	if (!check_metric(x))
		return false;
	if (!x->o->quiet)
		note_left_out(&x->estimates);
	if (!x->o->quiet && !x->has_bounds && !x->o->whole)
		note_single_slices(&x->estimates);
	return true;
}
