/* SPDX-License-Identifier: MIT */
/*
 * trace-extrapolate - estimates an analyzer's result for a whole program from its results for
 * slices, by their weights; and the error of the estimates, if the whole trace is at hand.
 *
 * See estimates.h for how numbers are combined.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzers/simpoint/estimates.h"
#include "analyzers/simpoint/origin.h"
#include "analyzers/simpoint/spawn.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/input_file.h"
#include "cli/common/option_parsers.h"
#include "cli/common/quantity.h"
#include "cli/common/tracereport.h"
#include "traceformat/traceformat.h"

enum { MAX_WORDS = 64 };

struct options {
	char **inputs;
	size_t n_inputs;
	const char *run, *whole, *weights, *per;
	const char *plan, *metric;
	struct confidence_options confidence;
	bool confidence_given;
	uint64_t total; /* 0: not given */
	char *keys[MAX_WORDS + 1], *means[MAX_WORDS + 1], *sums[MAX_WORDS + 1];
	bool quiet;
	enum report_format format;
};

struct extrapolation {
	const struct options *o;
	double *weights; /* by input, of --weights; NULL: none given */
	struct estimates estimates;
	double total;          /* instructions of the whole; 0: not known yet */
	double simulated;      /* instructions of all slices */
	struct strata strata;  /* of --plan; n 0: not given */
	bool *has_result;      /* by point */
	bool has_bounds;       /* of estimates */
	struct origin parent;  /* of the slices that --run has run on */
	const char *parent_of; /* the first of them */
};

/* ---- results ----------------------------------------------------------------------------- */

static json_t *load_file(const char *path)
{
	json_error_t error;
	json_t *root;

	if (!expect_file(path, "a result in JSON, which --run=ANALYZER makes of a trace",
			 ACCEPT_JSON))
		return NULL;
	root = json_load_file(path, 0, &error);

	if (json_is_object(root))
		return root;
	if (!root && json_error_code(&error) == json_error_cannot_open_file)
		command_error("%s: %m", shown_name(path));
	else
		command_error("%s: is not a result in JSON; --run=ANALYZER makes them of traces",
			      path);
	json_decref(root);
	return NULL;
}

/* Runs the analyzer of --run on a trace. Returns the result, or NULL after a message. */
static json_t *run_analyzer(const char *run, const char *const *options, const char *trace)
{
	char *words = text_format("trace-%s", run), *rest = words, *word;
	char *arguments[MAX_WORDS + 8];
	int n = 0, out = memfd_create("result", MFD_CLOEXEC);
	json_t *result = NULL;
	json_error_t error;

	while ((word = strsep(&rest, " ")) && n < MAX_WORDS)
		if (*word)
			arguments[n++] = word;
	if (word) {
		command_error("--run: has more than %d words", MAX_WORDS);
		free(words);
		if (out >= 0)
			close(out);
		return NULL;
	}
	arguments[0] = command_beside(arguments[0]);
	for (; *options; options++)
		arguments[n++] = (char *)*options;
	arguments[n++] = (char *)"--format=json";
	arguments[n++] = (char *)"--";
	arguments[n++] = (char *)trace;
	arguments[n] = NULL;
	if (out < 0) {
		command_error("cannot keep results: %m");
	} else if (run_command(arguments, out, NULL)) {
		lseek(out, 0, SEEK_SET);
		result = json_loadfd(out, 0, &error);
		if (!json_is_object(result)) {
			command_error("--run=%s: its result of %s is not a JSON object", run,
				      trace);
			json_decref(result);
			result = NULL;
		}
	}
	if (out >= 0)
		close(out);
	free(arguments[0]);
	free(words);
	return result;
}

/* Whether the slice is of another trace than the first one. */
static bool check_parent(struct extrapolation *x, struct tf_reader *reader, const char *path)
{
	struct origin parent = origin_of_parent(reader);

	if (!*x->parent.ids[ORIGIN_OWN]) {
		x->parent = parent;
		x->parent_of = path;
	}
	if (!origins_differ(&x->parent, &parent))
		return true;
	command_error("%s: is a slice of another trace than %s", path, x->parent_of);
	return false;
}

/* Adds a META number of a slice to its result. */
static void add_meta(struct tf_reader *reader, const char *key, const char *name, json_t *result)
{
	const char *text = tf_meta(reader, key);

	if (text)
		json_object_set_new(result, name, json_real(strtod(text, NULL)));
}

/* Returns the result of a slice, with its weight and its origin. */
static json_t *run_on_slice(struct extrapolation *x, const char *path)
{
	const char *const options[] = { "--region=simulation", NULL };
	struct tf_reader *reader;
	struct tf_error error;
	json_t *result = NULL;

	if (tf_open(path, &reader, &error) < 0) {
		command_error("%s", error.text);
		return NULL;
	}
	if (check_parent(x, reader, path))
		result = run_analyzer(x->o->run, options, path);
	if (result) {
		add_meta(reader, "slice.weight", "slice_weight", result);
		add_meta(reader, "slice.interval", "slice_interval", result);
		add_meta(reader, "slice.parent-instructions", "parent_instructions", result);
	}
	tf_close(reader);
	return result;
}

/* Returns the thread of a slice, as an option; NULL: all. */
static char *thread_option(const char *slice)
{
	struct tf_reader *reader;
	const char *thread;
	char *option = NULL;

	if (tf_open(slice, &reader, NULL) < 0)
		return NULL;
	thread = tf_meta(reader, "slice.thread");
	if (thread && strcmp(thread, "all"))
		option = text_format("--thread=%s", thread);
	tf_close(reader);
	return option;
}

/*
 * Checks that the slices are of the whole trace. A pipe is not checked, because it can be read only
 * once.
 */
static bool check_whole(const struct extrapolation *x)
{
	struct tf_reader *reader = NULL;
	struct tf_error error;
	struct tf_info info;
	struct origin own = { 0 };
	bool known;

	if (is_standard_stream(x->o->whole))
		return true;
	known = tf_open(x->o->whole, &reader, &error) == 0;
	if (known && tf_get_info(reader, &info, &error) == 0)
		own = origin_of_trace(reader, info.uuid);
	else
		command_error("%s", error.text);
	tf_close(reader);
	if (origins_differ(&x->parent, &own))
		command_error("%s: is not a slice of %s, but of another trace", x->parent_of,
			      x->o->whole);
	return *own.ids[ORIGIN_OWN] && !origins_differ(&x->parent, &own);
}

static json_t *get_whole(const struct extrapolation *x)
{
	const struct options *o = x->o;
	const char *options[2] = { NULL, NULL };
	char *thread;
	json_t *result;

	if (!o->run)
		return load_file(o->whole);
	if (!check_whole(x))
		return NULL;
	thread = thread_option(o->inputs[0]);
	options[0] = thread;
	result = run_analyzer(o->run, options, o->whole);
	free(thread);
	return result;
}

/* ---- weights ----------------------------------------------------------------------------- */

/* Reads "WEIGHT CLUSTER" lines, in the order of the results. */
static bool read_weights(struct extrapolation *x)
{
	const struct options *o = x->o;
	FILE *in;
	char *line = NULL;
	size_t size = 0, n = 0;

	if (!expect_file(o->weights, "a .weights file", 0))
		return false;
	in = open_input(o->weights);
	if (!in) {
		command_error("%s: %m", o->weights);
		return false;
	}
	x->weights = checked_array(o->n_inputs, sizeof(*x->weights));
	while (getline(&line, &size, in) > 0) {
		char *end;
		double weight = strtod(line, &end);

		if (end == line)
			continue;
		if (n < o->n_inputs)
			x->weights[n] = weight;
		n++;
	}
	free(line);
	fclose(in);
	if (n != o->n_inputs)
		command_error("%s: has %zu weights for %zu results", o->weights, n, o->n_inputs);
	return n == o->n_inputs;
}

/* Returns the point of the plan that has a slice's interval; of a result without one, that of its place. */
static size_t point_of(const struct strata *s, size_t i, const json_t *result)
{
	const json_t *interval = json_object_get(result, "slice_interval");
	size_t p = 0;

	if (!json_is_number(interval))
		return i;
	while (p < s->n_points && (double)s->intervals[p] != json_number_value(interval))
		p++;
	return p;
}

/* Finds the point that a result is of. Returns false after a message if there is none. */
static bool find_point(struct extrapolation *x, size_t i, const json_t *result)
{
	size_t p = point_of(&x->strata, i, result);

	if (!x->strata.n)
		return true;
	if (p == x->strata.n_points) {
		command_error("%s: is of no point of %s", x->o->inputs[i], x->o->plan);
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
		command_error("%s: has no weight, as slices of simulation points have; use "
			      "--weights",
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
static const char *name_of_instructions(const struct options *o, const json_t *result)
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
	const struct options *o = x->o;
	json_t *result = o->run ? run_on_slice(x, o->inputs[i]) : load_file(o->inputs[i]);
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
	whole = get_whole(x);
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
		command_note("not estimated, as they do not add up over slices: %s", names);
	free(names);
}

/* Reads the plan, whose points the results are of. Returns false after a message. */
static bool read_plan(struct extrapolation *x)
{
	const struct options *o = x->o;

	if (!strata_read(o->plan, &x->strata))
		return false;
	if (x->strata.n_points != o->n_inputs) {
		command_error("%s: has %zu points for %zu results", o->plan, x->strata.n_points,
			      o->n_inputs);
		return false;
	}
	x->estimates.n_slices = o->n_inputs;
	x->estimates.slice = SIZE_MAX;
	x->has_result = checked_array(o->n_inputs, sizeof(*x->has_result));
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
		command_note("no confidence intervals: the points were not drawn by chance, so "
			     "nothing says how far they are off; choose them with trace-simpoint "
			     "--select=random --points-per-cluster=2");
	else if (kind == CONFIDENCE_NONE)
		command_note("no confidence intervals: a cluster of several intervals has one "
			     "point; choose more with --points-per-cluster=2");
	else if (kind == CONFIDENCE_COLLAPSED)
		command_note("confidence intervals are collapsed: clusters with one point are "
			     "taken together in pairs, so that intervals are rather too long");
}

static void add_bounds(struct extrapolation *x)
{
	const struct options *o = x->o;

	if (x->strata.n)
		estimates_bound(&x->estimates, x->total, &x->strata, &o->confidence);
	x->has_bounds = o->confidence_given && x->strata.n &&
			confidence_kind(&x->strata) != CONFIDENCE_NONE;
	if (o->confidence_given && !o->quiet)
		note_bounds(x);
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

static bool extrapolate(struct extrapolation *x)
{
	x->total = (double)x->o->total;
	if (x->o->plan && !read_plan(x))
		return false;
	if (x->o->weights && !read_weights(x))
		return false;
	for (size_t i = 0; i < x->o->n_inputs; i++)
		if (!add_slice(x, i))
			return false;
	if (!add_whole(x))
		return false;
	if (!(x->total > 0) && x->strata.instructions > 0)
		x->total = x->strata.instructions;
	if (!(x->total > 0)) {
		command_error("the instructions of the whole program are not known; use --total or "
			      "--whole");
		return false;
	}
	if (!x->o->quiet && fabs(x->estimates.weights - 1) > 0.001)
		command_note("the weights sum up to %.4g; they are taken to be all of the program",
			     x->estimates.weights);
	estimates_finish(&x->estimates, x->total);
	add_bounds(x);
	if (!check_metric(x))
		return false;
	if (!x->o->quiet)
		note_left_out(&x->estimates);
	return true;
}

/* ---- the report -------------------------------------------------------------------------- */

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

/* Returns how much each error weighs: a count its true value, another number the first count of its row. */
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

static void put_report(const struct extrapolation *x)
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

static int run(struct options *o)
{
	struct extrapolation x = { .o = o };
	bool done;

	x.estimates.keys = (const char *const *)o->keys;
	x.estimates.means = (const char *const *)o->means;
	x.estimates.sums = (const char *const *)o->sums;
	done = extrapolate(&x);
	if (done)
		put_report(&x);
	estimates_free(&x.estimates);
	free(x.weights);
	strata_free(&x.strata);
	free(x.has_result);
	return done ? EXIT_DONE : EXIT_FAILED;
}

/* ---- the command line -------------------------------------------------------------------- */

/* Parses names separated by commas, and cuts the text at the commas. */
OPTION_PARSER(parse_names)
{
	char **names = destination, *rest = (char *)text, *name;
	size_t n = 0;

	while ((name = strsep(&rest, ",")))
		if (!*name || n == MAX_WORDS)
			return "names separated by commas are expected";
		else
			names[n++] = name;
	names[n] = NULL;
	return NULL;
}

/* Parses a share as "3%" or "0.03", above 0 and below 1. */
static const char *parse_part(const char *text, double *share)
{
	return parse_fraction(text, share) && *share > 0 && *share < 1
		       ? NULL
		       : "must be above 0 and below 1, as 0.95 or 95%";
}

OPTION_PARSER(parse_confidence)
{
	struct options *o = destination;

	o->confidence_given = true;
	return parse_part(text, &o->confidence.confidence);
}

OPTION_PARSER(parse_precision)
{
	struct options *o = destination;

	return parse_part(text, &o->confidence.precision);
}

OPTION_PARSER(parse_run)
{
	return option_text(option, destination, text + strspn(text, " "));
}

#define AT(member) offsetof(struct options, member)

static const struct command_option options_table[] = {
	{ "run", 0, "COMMAND", "run this analyzer on the slices, as \"mix --by=symbol\"", parse_run,
	  AT(run) },
	{ "whole", 0, "FILE",
	  "the result of the whole, or with --run the whole trace: also say how far the "
	  "estimates are off",
	  option_text, AT(whole) },
	{ "weights", 0, "FILE", "weights of the results in order, a .weights file", option_text,
	  AT(weights) },
	{ "plan", 0, "FILE", "the points that the results are of, trace-simpoint's JSON",
	  option_text, AT(plan) },
	{ "confidence", 0, "SHARE", "bounds that hold with this probability, as 99.7%",
	  parse_confidence, 0 },
	{ "precision", 0, "SHARE", "error for needed_n (default 3%)", parse_precision, 0 },
	{ "metric", 0, "NAME", "how much this number varies in each stratum", option_text,
	  AT(metric) },
	{ "total", 0, "N", "instructions of the whole (default: as slices say)", option_positive,
	  AT(total) },
	{ "per", 0, "NAME", "the number that counts instructions (\"instructions\")", option_text,
	  AT(per) },
	{ "key", 0, "NAME,...", "numbers that tell rows apart", parse_names, AT(keys) },
	{ "mean", 0, "NAME,...", "numbers whose mean is taken", parse_names, AT(means) },
	{ "sum", 0, "NAME,...", "numbers that are counts, though they do not look like counts",
	  parse_names, AT(sums) },
	{ "quiet", 'q', NULL, "no notes", option_flag, AT(quiet) },
	{ "format", 0, "FMT", "of the report: text (default), json or csv", option_format,
	  AT(format) },
	COMMAND_OPTIONS,
};

static const struct command trace_extrapolate = {
	.name = "trace-extrapolate",
	.usage = "[options] RESULT.json...\n"
		 "--run=\"ANALYZER [options]\" [options] SLICE.trace...\n",
	.summary = "Estimate results of a whole program from those of its slices, by weight.",
	.options = options_table,
	.example = "trace-extrapolate --run=mix --whole=gzip.trace gzip.[0-9]*.trace",
};

/* Returns true if a word of --run gives the destination of the result. */
static bool is_output_option(const char *word, size_t length)
{
	size_t name = strcspn(word, "= ");

	if (length >= 2 && word[0] == '-' && word[1] == 'o')
		return true;
	return name >= strlen("--ou") && !strncmp(word, "--output", name);
}

static int check_run(const char *run)
{
	if (!*run || strchr(run, '/'))
		return command_usage_error("--run: '%s' is not the name of an analyzer", run);
	for (const char *word = run; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");

		if (is_output_option(word, length))
			return command_usage_error("--run: '%.*s' cannot be used, as results are "
						   "read from standard output",
						   (int)length, word);
		word += length;
	}
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct options o = { .format = REPORT_TEXT, .confidence = { 0.95, 0.03 } };
	int status;

	command_init(trace_extrapolate.name);
	status = command_parse(&trace_extrapolate, &o, argc, argv);
	if (status != OPTION_DONE)
		return status;
	o.inputs = argv + optind;
	o.n_inputs = (size_t)(argc - optind);
	if (o.n_inputs == 0)
		return command_usage_error("no results given");
	if (o.metric && !o.plan)
		return command_usage_error("--metric is measured by the strata of --plan");
	if (o.run && check_run(o.run) != EXIT_DONE)
		return EXIT_USAGE;
	for (size_t i = 0; i < o.n_inputs && o.run; i++)
		if (is_standard_stream(o.inputs[i]))
			return command_usage_error("--run reads a trace several times: name a "
						   "file");
	status = run(&o);

	int written = command_close_stdout();

	return status == EXIT_DONE ? written : status;
}
