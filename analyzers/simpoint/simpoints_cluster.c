/* SPDX-License-Identifier: MIT */
/*
 * Clusters the intervals of a program, or a sample of them, and selects points from the clusters.
 */
#include "analyzers/simpoint/simpoints.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "analyzers/common/numbering.h"
#include "analyzers/simpoint/matrix_file.h"
#include "analyzers/simpoint/row_distance.h"
#include "analyzers/simpoint/strata.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/unpack.h"

static const double ERROR_LIMIT = 0.05; /* where the error is only reported */

/* Centres that are being made of labels: sums of weighted points, by label. */
struct labelled {
	struct numbering labels;
	ARRAY(double) sums, weights;
};

static void add_labelled(struct labelled *l, const struct points *p, size_t i, const char *label)
{
	uint32_t c = numbering_add_text(&l->labels, label);

	CHECKED_RESERVE(l->sums, (c + 1ul) * p->dim);
	CHECKED_RESERVE(l->weights, c + 1ul);

	double *sum = &l->sums.at[c * (size_t)p->dim];

	for (unsigned j = 0; j < p->dim; j++)
		sum[j] += p->weights[i] * point(p, i)[j];
	l->weights.at[c] += p->weights[i];
}

/* Adds the points from i on with the labels of a line. Returns the number of labels. */
static size_t add_line(struct labelled *l, const struct points *p, size_t i, char *line)
{
	static const char blanks[] = " \t\v\f\n";
	size_t n = 0;
	char *rest;

	for (char *word = strtok_r(line, blanks, &rest); word;
	     word = strtok_r(NULL, blanks, &rest), n++)
		if (i + n < p->n)
			add_labelled(l, p, i + n, word);
	return n;
}

/* Centres as the means of points with the same label; labels are any words. */
static bool centres_of_labels(struct simpoints *s, const char *path, unsigned *k)
{
	FILE *file = expect_file(path, "a list of labels", ACCEPT_COMPRESSED) ? unpack_text(path)
									      : NULL;
	struct points *p = &s->points;
	struct labelled l = { 0 };
	char *line = NULL;
	size_t room = 0, n = 0;
	const char *wrong;

	if (!file)
		return false;
	while (n <= p->n && read_line(&line, &room, file) > 0)
		n += add_line(&l, p, n, line);
	wrong = n <= p->n ? read_line_fault() : NULL;
	free(line);
	fclose(file);
	*k = l.labels.count;
	s->initial = l.sums.at;
	for (unsigned c = 0; c < *k; c++)
		for (unsigned j = 0; j < p->dim && l.weights.at[c] > 0; j++)
			l.sums.at[c * (size_t)p->dim + j] /= l.weights.at[c];
	numbering_free(&l.labels);
	free(l.weights.at);
	if (wrong)
		command_error("%s: %s", path, wrong);
	else if (n < p->n)
		command_error("%s: has %zu labels for %zu vectors", path, n, p->n);
	else if (n > p->n)
		command_error("%s: has more words than the %zu vectors; a file of -saveLabels has "
			      "a distance beside each label",
			      path, p->n);
	return !wrong && n == p->n;
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
	command_error("%s: has centres of %u dimensions, but points have %u",
		      o->files[LOAD_INITIAL], matrix.dim, s->points.dim);
	return false;
}

/* A search ends at the number of intervals. More clusters than that, by name, cannot be had. */
static bool limit_clusters(const struct simpoints *s, unsigned *max_k)
{
	const struct simpoint_options *o = &s->o;
	size_t n = s->points.n;

	if (o->as_simpoint)
		return true;
	for (size_t i = 0; i < o->ks.count; i++)
		if (o->ks.at[i] > n) {
			command_error("%zu intervals are too few for %u clusters: choose fewer "
				      "with -k",
				      n, o->ks.at[i]);
			return false;
		}
	if (*max_k > n && o->max_k_given && !o->ks.count)
		command_warning("there are only %zu intervals, so no more clusters are tried", n);
	if (*max_k > n)
		*max_k = (unsigned)n;
	return true;
}

/* The variance of all points, in each dimension. */
static bool is_many(const struct simpoints *s)
{
	return s->many.points.n;
}

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
 * Returns the variance that means nothing: that of intervals which differ by no more than the share
 * `resolution` of their instructions. All intervals differ by `spread` and have the variance of
 * all; a variance goes with the square of a difference.
 */
static double noise(const struct simpoints *s)
{
	double ratio = s->o.resolution / s->spread;

	if (s->o.as_simpoint || !(s->spread > 0))
		return 0;
	return ratio * ratio *
	       (is_many(s) ? simpoints_sample_variance(s) : variance_of_all(&s->points));
}

/* ---- the error of a clustering ------------------------------------------------------------ */

/* The points that are clustered, and their vectors. */
struct clustered {
	const struct simpoints *s;
	size_t n;
	size_t *intervals; /* of the points */
	const double *weights;
};

static void list_clustered(const struct simpoints *s, struct clustered *l)
{
	const struct many_points *m = &s->many;

	*l = (struct clustered){ .s = s,
				 .n = is_many(s) ? m->sample.points.n : s->points.n,
				 .weights = is_many(s) ? m->sample.points.weights
						       : s->points.weights };
	l->intervals = checked_array(l->n, sizeof(*l->intervals));
	for (size_t i = 0; i < l->n; i++)
		l->intervals[i] = is_many(s) ? m->first[m->places[i]] : i;
}

/*
 * Returns the weighted mean distance of vectors from that which is nearest to their cluster's
 * center.
 */
static double error_of(const void *opaque, const struct clustering *c)
{
	const struct clustered *l = opaque;
	const struct simpoints *s = l->s;
	double *distances = checked_array(l->n, sizeof(*distances)), sum = 0, weight = 0;
	size_t *nearest = checked_array(c->k, sizeof(*nearest));
	double *least = checked_array(c->k, sizeof(*least));

	if (is_many(s))
		bounded_distances(&s->many.sample.points, c, distances, s->o.jobs);
	else
		select_distances(&s->points, c, distances);
	for (unsigned k = 0; k < c->k; k++)
		least[k] = HUGE_VAL;
	for (size_t i = 0; i < l->n; i++)
		if (distances[i] < least[c->labels[i]]) {
			least[c->labels[i]] = distances[i];
			nearest[c->labels[i]] = l->intervals[i];
		}
	row_distances(&s->rows, l->intervals, c->labels, l->n, nearest, s->o.jobs, distances);
	for (size_t i = 0; i < l->n; i++) {
		sum += l->weights[i] * distances[i];
		weight += l->weights[i];
	}
	free(distances);
	free(nearest);
	free(least);
	return sum / weight;
}

/* Returns the number of clusters that a search goes up to. */
static unsigned greatest_k(const struct simpoints *s)
{
	enum { LEAST = 30, MOST = 300 };
	size_t n = s->points.n;
	double k = fmax(LEAST, ceil(sqrt((double)n)));

	if (!s->run || s->o.max_k_given)
		return (unsigned)s->o.max_k;
	k = fmin(fmin(k, MOST), (double)(n / 2));
	return k < 1 ? 1 : (unsigned)k;
}

/* ---- the selection ------------------------------------------------------------------------ */

/* Returns how many points the budget has room for, at least one. */
static unsigned points_in_budget(const struct simpoints *s)
{
	double all = 0, points;

	for (size_t i = 0; i < s->rows.n; i++)
		all += s->rows.at[i].sum;
	points = all > 0 ? (double)s->o.budget * (double)s->rows.n / all : 1;
	return points < 1 ? 1 : points > UINT_MAX ? UINT_MAX : (unsigned)points;
}

bool simpoints_select(const struct simpoints *s, const struct clustering *c,
		      struct selection *selection)
{
	const struct simpoint_options *o = &s->o;
	double *spreads = o->allocate ? checked_array(c->k, sizeof(*spreads)) : NULL;
	double *distances = is_many(s) ? NULL : checked_array(s->points.n, sizeof(*distances));
	const struct members members = {
		.n = s->points.n,
		.weights = s->points.weights,
		.labels = c->labels,
		.distances = distances ? distances : s->distances,
		.n_clusters = c->k,
		.cluster_weights = c->weights,
		.rows = s->rows.n ? &s->rows : NULL,
	};
	const struct select_options select = {
		.by = o->select,
		.per_cluster = (unsigned)o->per_cluster,
		.total = o->total,
		.spreads = spreads,
		.seed = o->seed,
		.as_simpoint = o->as_simpoint,
	};

	bool good = !spreads || spreads_read(o->allocate, spreads, c->k);

	if (distances)
		select_distances(&s->points, c, distances);
	if (good)
		select_points(&members, &select, selection);
	free(distances);
	free(spreads);
	return good;
}

/* Sets the spread, and for the vectors of a file the shares. */
static bool measure_spread(struct simpoints *s)
{
	s->spread = NAN;
	if (s->run)
		return simpoints_run_spread(s);
	if (!s->rows.n)
		return true;
	s->shares = rows_shares(&s->rows, s->points.weights);
	s->spread = rows_spread(&s->rows, s->points.weights, s->shares, s->o.jobs);
	return true;
}

static bool measure_quality(struct simpoints *s)
{
	if (s->run)
		return simpoints_run_quality(s);
	if (!s->rows.n)
		return true;
	s->quality = select_quality(&s->rows, s->shares, &s->selection);
	s->quality.distance = selection_distance_of_all(&s->selection, &s->rows, s->points.weights,
							s->o.jobs);
	return true;
}

/* Makes the clustering of all intervals. */
static void cluster_all(struct simpoints *s)
{
	if (is_many(s))
		simpoints_refine(s);
	else
		s->whole = *search_best(&s->search, s->search.chosen);
}

static void add_stability(struct simpoints *s)
{
	size_t n = is_many(s) ? s->many.sample.points.n : s->points.n;

	if (s->o.select != SELECT_SYSTEMATIC)
		select_stability(&s->search.runs.at[s->search.chosen], s->search.n_seeds, n,
				 &s->selection);
}

bool simpoints_cluster(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	unsigned max_k = greatest_k(s), k;
	struct clustered clustered;

	if (!load_initial(s, &k))
		return false;
	if (!limit_clusters(s, &max_k))
		return false;
	if (is_many(s)) {
		simpoints_sample(s);
		if (max_k > s->many.sample.points.n)
			max_k = (unsigned)s->many.sample.points.n;
	}
	if (!measure_spread(s))
		return false;
	if (is_many(s))
		s->many.sample.noise = noise(s);
	list_clustered(s, &clustered);

	struct search_options search = {
		.ks = o->ks.at,
		.n_ks = o->ks.count,
		.max_k = max_k,
		.n_seeds = (unsigned)o->n_seeds,
		.initial = o->initial,
		.centres = s->initial,
		.threshold = o->threshold,
		.iterations = o->iterations < UINT_MAX ? (unsigned)o->iterations : UINT_MAX,
		.seed = (uint32_t)o->seed,
		.sample_size = (size_t)o->sample_size,
		.sample_seed = (uint32_t)o->seed_sample,
		.noise = is_many(s) ? 0 : noise(s),
		.as_simpoint = o->as_simpoint,
		.jobs = o->jobs,
		.choice = o->choice,
		.grid = o->choice_given || s->run,
		.error_limit = o->choice == CHOOSE_ERROR ? o->error_limit : ERROR_LIMIT,
		.budget = o->choice == CHOOSE_BUDGET ? points_in_budget(s) : 0,
		.cluster = is_many(s) ? float_sample_cluster : NULL,
		.error = s->rows.n && !o->as_simpoint ? error_of : NULL,
		.cluster_opaque = &s->many.sample,
		.error_opaque = &clustered,
	};

	if (s->initial) {
		search.ks = &k;
		search.n_ks = search.n_seeds = 1;
	}
	search_run(&s->points, &search, &s->search);
	free(clustered.intervals);
	cluster_all(s);
	if (!simpoints_select(s, &s->whole, &s->selection))
		return false;
	simpoints_drop_small(s);
	add_stability(s);
	return simpoints_prove(s) && measure_quality(s);
}
