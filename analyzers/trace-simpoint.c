/* SPDX-License-Identifier: MIT */
/*
 * trace-simpoint - chooses simulation points, as SimPoint 3.2 does or better.
 *
 * Basic block vectors are projected to few dimensions (project.h) and clustered (kmeans.h); the
 * number of clusters is chosen by a score (search.h); the interval nearest to the centre of each
 * stands for it (selection.h).
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "analyzers/common/checked.h"
#include "analyzers/simpoint/matrix_file.h"
#include "analyzers/simpoint/outputs.h"
#include "analyzers/simpoint/project.h"
#include "analyzers/simpoint/trace_vectors.h"
#include "cli/common/loss.h"
#include "cli/common/save_file.h"

enum { DEFAULT_INTERVAL = 100000000 };
static const double large_matrix = 4e9 / sizeof(double);	/* values */

/* All there is of one selection. */
struct simpoints {
	struct simpoint_options o;
	struct tf_reader *reader;	/* NULL: vectors came from a file */
	struct bb_rows rows;		/* n 0: points were loaded */
	struct pc_names names;
	struct intervals intervals;	/* of a trace */
	struct projection projection;
	struct points points;
	struct search search;
	struct selection selection;
	struct region *regions;		/* by point */
	double spread;			/* see rows_spread; NaN: not known */
	double *initial;		/* centres loaded */
};

/* ---- input ------------------------------------------------------------------------------- */

static bool open_trace(struct simpoints *s)
{
	struct tf_error error;
	struct tf_info info;

	if (tf_open(s->o.input, &s->reader, &error) < 0 || tf_load(s->reader, &error) < 0 ||
	    tf_get_info(s->reader, &info, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	note_loss(s->o.input, &info);
	if (s->o.thread >= info.n_threads) {
		command_error("%s has no thread %" PRIu64 ": it has %" PRIu32 ", from 0", s->o.input,
			      s->o.thread, info.n_threads);
		return false;
	}
	if (info.n_threads > 1)
		command_note("%s has %" PRIu32 " threads: points of thread %" PRIu64, s->o.input,
			     info.n_threads, s->o.thread);
	return true;
}

static bool read_trace(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	uint64_t interval = o->interval ? o->interval : DEFAULT_INTERVAL;
	uint32_t thread = (uint32_t)o->thread;

	if (!open_trace(s) ||
	    !trace_vectors(s->reader, o->input, thread, interval, o->counter, o->bbv_options,
			   (unsigned)o->jobs, &s->rows, &s->names) ||
	    !intervals_find(s->reader, thread, interval, o->counter, &s->intervals))
		return false;
	s->rows.interval_size = interval;
	if (s->rows.n == s->intervals.n)
		return true;
	command_error("%s: %zu intervals were found, but %zu vectors%s", o->input, s->intervals.n,
		      s->rows.n, o->bbv_options ? "; does --bbv go with --counter?" : "");
	return false;
}

static bool read_vectors(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;

	if (is_trace(o->input))
		return read_trace(s);
	if (!bb_read(o->input, o->as_simpoint, (unsigned)o->jobs, &s->rows))
		return false;
	if (o->interval)
		s->rows.interval_size = o->interval;
	return !o->pc_file || pc_names_read(o->pc_file, &s->names);
}

static bool check_vectors(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;

	if (s->rows.n == 0) {
		if (s->reader)
			command_error("%s: the thread ended before its first interval of %" PRIu64
				      " instructions did; use a smaller --interval", o->input,
				      s->rows.interval_size);
		else
			command_error("%s: has no vectors, that is, lines that begin with T:; a program"
				      " shorter than an interval has none: use a smaller one",
				      o->input);
		return false;
	}
	if (s->rows.n_dims == 0) {
		command_error("%s: all vectors are empty", o->input);
		return false;
	}
	if (o->n_vectors && (o->n_vectors != s->rows.n || o->n_dims < s->rows.n_dims)) {
		command_error("%s: has %zu vectors of %" PRIu32 " dimensions, not of -numFVs and -FVDim",
			      o->input, s->rows.n, s->rows.n_dims);
		return false;
	}
	return true;
}

/* Draws or loads the projection. */
static bool get_projection(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	bool binary = o->files[LOAD_PROJECTION_BINARY];
	const char *path = binary ? o->files[LOAD_PROJECTION_BINARY] : o->files[LOAD_PROJECTION];
	struct points matrix;

	if (!path) {
		projection_draw(&s->projection, s->rows.n_dims, (unsigned)o->dim,
				(uint32_t)o->seed_projection);
		return true;
	}
	if (!matrix_read(path, binary, &matrix))
		return false;
	s->projection = (struct projection){ (uint32_t)matrix.n, matrix.dim, matrix.at };
	free(matrix.weights);
	if (matrix.n >= s->rows.n_dims)
		return true;
	command_error("%s: has rows for %zu ids, but there are %" PRIu32, path, matrix.n,
		      s->rows.n_dims);
	return false;
}

static bool load_weights(const char *path, struct points *points)
{
	FILE *file = fopen(path, "re");
	double sum = 0, extra;
	size_t n = 0;
	bool good;

	if (!file) {
		command_error("%s: %m", path);
		return false;
	}
	while (n < points->n && fscanf(file, "%lf", &points->weights[n]) == 1 &&
	       points->weights[n] >= 0 && isfinite(points->weights[n]))
		sum += points->weights[n++];
	good = n == points->n && fscanf(file, "%lf", &extra) != 1 && sum > 0;
	fclose(file);
	if (!good)
		command_error("%s: is not a list of %zu weights", path, points->n);
	for (size_t i = 0; i < n && good; i++)
		points->weights[i] /= sum;
	return good;
}

/* From the input to points with weights. */
static bool get_points(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	bool binary = o->files[LOAD_VECTORS_BINARY];
	const char *path = binary ? o->files[LOAD_VECTORS_BINARY] : o->files[LOAD_VECTORS];

	if (path) {
		if (!matrix_read(path, binary, &s->points))
			return false;
	} else {
		if (!read_vectors(s) || !check_vectors(s))
			return false;
		if (!o->dim && (double)s->rows.n * s->rows.n_dims > large_matrix) {
			command_error("%s: %zu vectors of %" PRIu32 " dimensions do not fit into memory "
				      "without a projection; use -dim", o->input, s->rows.n,
				      s->rows.n_dims);
			return false;
		}
		if (o->dim && !get_projection(s))
			return false;
		project(&s->rows, o->dim ? &s->projection : NULL, (unsigned)o->jobs, &s->points);
		if (!o->fixed_length)
			weigh_by_sums(&s->rows, &s->points);
	}
	return !o->files[LOAD_VECTOR_WEIGHTS] ||
	       load_weights(o->files[LOAD_VECTOR_WEIGHTS], &s->points);
}

/* ---- clustering -------------------------------------------------------------------------- */

/* Centres as the means of points with the same label; labels are any words. */
static bool centres_of_labels(struct simpoints *s, const char *path, unsigned *k)
{
	FILE *file = fopen(path, "re");
	struct points *p = &s->points;
	char **words = NULL, *word = NULL;
	double *weights = NULL;
	size_t i;

	*k = 0;
	if (!file) {
		command_error("%s: %m", path);
		return false;
	}
	for (i = 0; i < p->n && fscanf(file, "%ms", &word) == 1; i++) {
		unsigned c = 0;

		while (c < *k && strcmp(words[c], word))
			c++;
		if (c == *k) {
			words = checked(reallocarray(words, c + 1, sizeof(*words)));
			weights = checked(reallocarray(weights, c + 1, sizeof(*weights)));
			s->initial = checked(reallocarray(s->initial, (c + 1) * (size_t)p->dim,
							  sizeof(*s->initial)));
			memset(s->initial + c * (size_t)p->dim, 0, p->dim * sizeof(*s->initial));
			words[c] = checked(strdup(word));
			weights[(*k)++] = 0;
		}
		for (unsigned j = 0; j < p->dim; j++)
			s->initial[c * (size_t)p->dim + j] += p->weights[i] * point(p, i)[j];
		weights[c] += p->weights[i];
		free(word);
	}
	fclose(file);
	for (unsigned c = 0; c < *k; c++) {
		for (unsigned j = 0; j < p->dim && weights[c] > 0; j++)
			s->initial[c * (size_t)p->dim + j] /= weights[c];
		free(words[c]);
	}
	free(words);
	free(weights);
	if (i < p->n)
		command_error("%s: has %zu labels for %zu vectors", path, i, p->n);
	return i == p->n;
}

/* Initial centres from a file: they fix the number of clusters. k 0: there are none. */
static bool load_initial(struct simpoints *s, unsigned *k)
{
	const struct simpoint_options *o = &s->o;
	struct points matrix;

	*k = 0;
	if (o->files[LOAD_INITIAL_LABELS])
		return centres_of_labels(s, o->files[LOAD_INITIAL_LABELS], k);
	if (!o->files[LOAD_INITIAL])
		return true;
	if (!matrix_read(o->files[LOAD_INITIAL], false, &matrix))
		return false;
	s->initial = matrix.at;
	*k = (unsigned)matrix.n;
	free(matrix.weights);
	if (matrix.dim == s->points.dim)
		return true;
	command_error("%s: has centres of %u dimensions, but points have %u", o->files[LOAD_INITIAL],
		      matrix.dim, s->points.dim);
	return false;
}

/* A search ends at the number of intervals. More clusters than that, by name, cannot be had. */
static bool limit_clusters(const struct simpoints *s, unsigned *max_k)
{
	const struct simpoint_options *o = &s->o;
	size_t n = s->points.n;

	if (o->as_simpoint)
		return true;
	for (size_t i = 0; i < o->n_ks; i++)
		if (o->ks[i] > n) {
			command_error("%zu intervals are too few for %u clusters: choose fewer "
				      "with -k", n, o->ks[i]);
			return false;
		}
	if (*max_k > n && o->max_k_given && !o->n_ks)
		command_warning("there are only %zu intervals, so no more clusters are tried", n);
	if (*max_k > n)
		*max_k = (unsigned)n;
	return true;
}

/* The variance of all points, in each dimension. */
static double variance_of_all(const struct points *p)
{
	double *mean = checked_array(p->dim, sizeof(*mean)), weight = 0, sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		weight += p->weights[i];
		for (unsigned j = 0; j < p->dim; j++)
			mean[j] += p->weights[i] * point(p, i)[j];
	}
	for (unsigned j = 0; j < p->dim; j++)
		mean[j] /= weight;
	for (size_t i = 0; i < p->n; i++)
		sum += p->weights[i] * squared_distance(point(p, i), mean, p->dim);
	free(mean);
	return sum / weight / p->dim;
}

/*
 * The variance that means nothing, as the intervals of a cluster differ by no more than the
 * share `resolution` of their instructions. All intervals differ by `spread` and have the
 * variance of all; a deviation goes with its square.
 */
static double noise(const struct simpoints *s)
{
	double ratio = s->o.resolution / s->spread;

	return s->o.as_simpoint || !(s->spread > 0) ? 0 :
		       variance_of_all(&s->points) * ratio * ratio;
}

static bool cluster(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	unsigned max_k = (unsigned)o->max_k, k;

	if (!load_initial(s, &k))
		return false;
	if (!limit_clusters(s, &max_k))
		return false;
	s->spread = s->rows.n ? rows_spread(&s->rows, &s->points, (unsigned)o->jobs) : NAN;

	struct search_options search = {
		.ks = o->ks, .n_ks = o->n_ks, .max_k = max_k, .n_seeds = (unsigned)o->n_seeds,
		.initial = o->initial, .centres = s->initial, .threshold = o->threshold,
		.iterations = o->iterations < UINT_MAX ? (unsigned)o->iterations : UINT_MAX,
		.seed = (uint32_t)o->seed, .sample_size = (size_t)o->sample_size,
		.sample_seed = (uint32_t)o->seed_sample, .noise = noise(s), .as_simpoint = o->as_simpoint,
		.jobs = (unsigned)o->jobs,
	};

	if (s->initial) {
		search.ks = &k;
		search.n_ks = search.n_seeds = 1;
	}
	search_run(&s->points, &search, &s->search);
	select_points(&s->points, search_best(&s->search, s->search.chosen), o->as_simpoint,
		      &s->selection);
	select_stability(&s->search.runs[s->search.chosen], s->search.n_seeds, &s->selection);
	return true;
}

/* ---- where the points are ---------------------------------------------------------------- */

/* Where intervals of a file begin: by their size if the file says it, else by what they count. */
static void count_intervals(const struct simpoints *s, double *starts)
{
	const struct bb_rows *rows = &s->rows;
	uint64_t size = rows->interval_size;
	/* exp-bbv's first interval has one instruction more, but may have lost some. */
	bool one_more = size && s->o.counter == COUNTER_EXP_BBV && rows->at[0].sum != (double)size;

	starts[0] = 0;
	for (size_t i = 0; i < rows->n; i++)
		starts[i + 1] = size ? (double)((i + 1) * size + one_more) :
				       starts[i] + rows->at[i].sum;
}

static void locate_by_counts(struct simpoints *s)
{
	double *starts = checked_array(s->rows.n + 1, sizeof(*starts));

	count_intervals(s, starts);
	for (unsigned i = 0; i < s->selection.n; i++) {
		size_t at = s->selection.at[i].interval;

		s->regions[i].start = (uint64_t)llround(starts[at]);
		s->regions[i].end = (uint64_t)llround(starts[at + 1]);
	}
	free(starts);
}

static const char *module_path(const struct simpoints *s, const struct place *place)
{
	const struct tf_module *module = tf_module(s->reader, place->module);

	return module ? module->path : NULL;
}

static bool locate_in_trace(struct simpoints *s)
{
	unsigned n = s->selection.n;
	struct place *places = checked_array(2 * (size_t)n, sizeof(*places));
	bool found;

	for (unsigned i = 0; i < n; i++) {
		size_t at = s->selection.at[i].interval;

		s->regions[i].start = places[2 * i].ordinal = s->intervals.starts[at];
		s->regions[i].end = places[2 * i + 1].ordinal = s->intervals.starts[at + 1];
		places[2 * i].since = places[2 * i + 1].since = s->intervals.starts[at];
	}
	found = places_find(s->reader, (uint32_t)s->o.thread, places, 2 * (size_t)n);
	for (unsigned i = 0; i < n && found; i++) {
		s->regions[i].first = places[2 * i];
		s->regions[i].behind = places[2 * i + 1];
		s->regions[i].first_module = module_path(s, &places[2 * i]);
		s->regions[i].behind_module = module_path(s, &places[2 * i + 1]);
	}
	free(places);
	return found;
}

static bool locate(struct simpoints *s)
{
	s->regions = checked_array(s->selection.n, sizeof(*s->regions));
	for (unsigned i = 0; i < s->selection.n && s->rows.n; i++)
		s->regions[i].function = pc_names_heaviest(
			&s->names, &s->rows.at[s->selection.at[i].interval]);
	if (s->reader && !locate_in_trace(s))
		return false;
	if (!s->reader && s->rows.n)
		locate_by_counts(s);
	for (size_t i = 0; i < s->rows.n; i++)
		for (unsigned p = 0; p < s->selection.n; p++)
			if (s->selection.at[p].cluster == s->selection.labels[i])
				s->regions[p].cluster_instructions += (uint64_t)s->rows.at[i].sum;
	return true;
}

/* ---- results ----------------------------------------------------------------------------- */

static void put_points(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "cluster", REPORT_U64, "" }, { "interval", REPORT_U64, "" },
		{ "weight", REPORT_F64, "" }, { "intervals", REPORT_U64, "" },
		{ "start", REPORT_U64, "" }, { "end", REPORT_U64, "" },
		{ "distance", REPORT_F64, "" }, { "radius", REPORT_F64, "" },
		{ "stability", REPORT_F64, "" }, { "function", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	report_table(r, "points", columns);
	for (unsigned i = 0; i < s->selection.n; i++) {
		const struct simpoint *p = &s->selection.at[i];
		const struct region *region = &s->regions[i];

		report_row(r, (uint64_t)p->cluster, (uint64_t)p->interval, p->weight,
			   (uint64_t)p->intervals, region->start, region->end, p->distance,
			   p->radius, p->stability, region->function);
	}
}

/* Where points begin and end by address and how often it had been executed. */
static void put_bounds(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "cluster", REPORT_U64, "" }, { "start_pc", REPORT_HEX, "" },
		{ "start_count", REPORT_U64, "" }, { "end_pc", REPORT_HEX, "" },
		{ "end_count", REPORT_U64, "" }, { "end_relative_count", REPORT_U64, "" },
		{ "start_module", REPORT_STRING, "" }, { "start_offset", REPORT_HEX, "" },
		{ "end_module", REPORT_STRING, "" }, { "end_offset", REPORT_HEX, "" },
		{ NULL, 0, NULL },
	};

	report_table(r, "bounds", columns);
	for (unsigned i = 0; i < s->selection.n; i++) {
		const struct region *at = &s->regions[i];

		report_row(r, (uint64_t)s->selection.at[i].cluster, at->first.pc, at->first.count,
			   at->behind.pc, at->behind.count, at->behind.count - at->behind.before,
			   at->first_module, at->first.module_offset, at->behind_module,
			   at->behind.module_offset);
	}
}

static void put_runs(const struct simpoints *s, struct report *r)
{
	static const struct report_column columns[] = {
		{ "k", REPORT_U64, "" }, { "clusters", REPORT_U64, "" }, { "bic", REPORT_F64, "" },
		{ "seed", REPORT_U64, "" }, { "iterations", REPORT_U64, "" }, { NULL, 0, NULL },
	};

	report_table(r, "runs", columns);
	for (size_t i = 0; i < s->search.n_runs; i++) {
		const struct clustering *c = search_best(&s->search, i);

		report_row(r, (uint64_t)s->search.runs[i].k, (uint64_t)c->k, c->bic,
			   (uint64_t)c->seed, (uint64_t)c->iterations);
	}
}

static void put_report(const struct simpoints *s, FILE *out, enum report_format format)
{
	struct report *r = report_begin(out, format);
	const struct simpoint_options *o = &s->o;

	if (format != REPORT_CSV) {
		const char *input = o->input ? o->input : o->files[LOAD_VECTORS] ?
				    o->files[LOAD_VECTORS] : o->files[LOAD_VECTORS_BINARY];

		report_string(r, s->reader ? "trace" : "vectors", input);
		if (s->reader) {
			report_u64(r, "thread", "", o->thread);
			report_string(r, "counter", o->counter == COUNTER_EXACT ? "exact" :
					 "exp-bbv");
		}
		if (s->rows.interval_size)
			report_u64(r, "interval_size", "instructions", s->rows.interval_size);
		report_u64(r, "intervals", "", s->points.n);
		if (s->rows.n) {
			struct quality q = select_quality(&s->rows, &s->points, &s->selection);

			report_u64(r, "blocks", "", s->rows.n_dims);
			report_f64(r, "spread", "%", 100 * s->spread);
			report_f64(r, "vector_error", "%", 100 * q.error);
			report_f64(r, "coverage", "%", 100 * q.coverage);
		}
		report_u64(r, "clusters", "", s->selection.n);
	}
	put_points(s, r);
	if (format != REPORT_CSV) {
		if (s->reader)
			put_bounds(s, r);
		put_runs(s, r);
	}
	report_end(r);
}

static int save_json(const struct simpoints *s)
{
	struct save_file *file;

	if (!s->o.files[SAVE_JSON])
		return EXIT_DONE;
	file = save_file_begin(s->o.files[SAVE_JSON]);
	if (!file)
		return EXIT_FAILED;
	put_report(s, save_file_stream(file), REPORT_JSON);
	return save_file_end(file);
}

/* The files of every run, under names of their own. */
static int save_runs(const struct simpoints *s)
{
	int status = EXIT_DONE;

	for (size_t r = 0; r < s->search.n_runs && status == EXIT_DONE; r++) {
		const struct clustering *c = search_best(&s->search, r);
		struct selection selection;
		char suffix[64];

		snprintf(suffix, sizeof(suffix), ".run_%zu_k_%u", r + 1, s->search.runs[r].k);
		select_points(&s->points, c, s->o.as_simpoint, &selection);
		status = outputs_write(&s->o, suffix, c, &selection, &s->points);
		selection_free(&selection);
	}
	return status;
}

static int save_regions(const struct simpoints *s)
{
	const char *pc_regions = s->o.files[SAVE_PC_REGIONS];
	int status = EXIT_DONE;

	if (s->o.files[SAVE_REGIONS])
		status = outputs_write_regions(s->o.files[SAVE_REGIONS], s->o.thread, &s->selection,
					       s->regions);
	if (status == EXIT_DONE && pc_regions)
		status = outputs_write_pc_regions(pc_regions, s->o.thread, &s->selection,
						  s->regions);
	return status;
}

static int save_all(const struct simpoints *s)
{
	int status = outputs_write_points(&s->o, &s->points, s->projection.at, s->projection.rows);

	if (status == EXIT_DONE)
		status = s->o.save_all ? save_runs(s) :
			 outputs_write(&s->o, "", search_best(&s->search, s->search.chosen),
				       &s->selection, &s->points);
	if (status == EXIT_DONE)
		status = save_regions(s);
	return status == EXIT_DONE ? save_json(s) : status;
}

static void note_shape(const struct simpoints *s)
{
	if (s->points.n == 1)
		command_note("there is one interval: it is the simulation point; a smaller interval "
			     "size makes more");
	else if (s->spread <= s->o.resolution)
		command_note("the program is uniform: its %zu intervals differ by %.2g %% of their "
			     "instructions, so a few of them, or one, stand for all", s->points.n,
			     100 * s->spread);
}

/* ---- the command ------------------------------------------------------------------------- */

/* -o PREFIX names the files that have no name of their own. */
static void name_files(struct simpoint_options *o, char *names[N_FILES], bool is_from_trace)
{
	static const struct { enum simpoint_file file; const char *suffix; bool trace; } all[] = {
		{ SAVE_SIMPOINTS, "simpts", false }, { SAVE_WEIGHTS, "weights", false },
		{ SAVE_LABELS, "labels", false }, { SAVE_REGIONS, "csv", false },
		{ SAVE_PC_REGIONS, "pc.csv", true }, { SAVE_JSON, "json", false },
	};

	for (size_t i = 0; o->prefix && i < sizeof(all) / sizeof(*all); i++)
		if (!o->files[all[i].file] && (is_from_trace || !all[i].trace)) {
			if (asprintf(&names[all[i].file], "%s.%s", o->prefix, all[i].suffix) < 0)
				command_out_of_memory();
			o->files[all[i].file] = names[all[i].file];
		}
}

static int check_files(const struct simpoint_options *o, bool is_from_trace)
{
	if (o->files[SAVE_PC_REGIONS] && !is_from_trace)
		return command_usage_error("--save-pc-regions: needs a trace, not vectors");
	if ((o->files[SAVE_REGIONS] || o->pc_file) && !o->input)
		return command_usage_error("regions and functions need vectors with ids");
	return EXIT_DONE;
}

static void free_all(struct simpoints *s)
{
	bb_free(&s->rows);
	pc_names_free(&s->names);
	intervals_free(&s->intervals);
	projection_free(&s->projection);
	points_free(&s->points);
	search_free(&s->search);
	selection_free(&s->selection);
	free(s->regions);
	free(s->initial);
	free(s->o.ks);
	tf_close(s->reader);
}

int main(int argc, char **argv)
{
	struct simpoints s = { .spread = NAN };
	char *names[N_FILES] = { NULL };
	bool done, from_trace;
	int status;

	command_init("trace-simpoint");
	status = simpoint_parse(argc, argv, &s.o, &done);
	if (done) {
		free(s.o.ks);
		return status;
	}
	from_trace = s.o.input && is_trace(s.o.input);
	status = check_files(&s.o, from_trace);
	if (status != EXIT_DONE) {
		free(s.o.ks);
		return status;
	}
	name_files(&s.o, names, from_trace);
	status = EXIT_FAILED;
	if (get_points(&s) && cluster(&s) && locate(&s)) {
		note_shape(&s);
		status = save_all(&s);
		if (status == EXIT_DONE && !s.o.quiet)
			put_report(&s, stdout, s.o.format);
	}
	free_all(&s);
	for (int i = 0; i < N_FILES; i++)
		free(names[i]);

	int written = command_close_stdout();

	return status == EXIT_DONE ? written : status;
}
