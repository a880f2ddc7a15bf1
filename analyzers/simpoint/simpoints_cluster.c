/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/simpoints.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "analyzers/common/numbering.h"
#include "analyzers/simpoint/matrix_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/unpack.h"

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

/* Centres as the means of points with the same label; labels are any words. */
static bool centres_of_labels(struct simpoints *s, const char *path, unsigned *k)
{
	FILE *file = expect_file(path, "a list of labels", ACCEPT_COMPRESSED) ? unpack_stream(path)
									      : NULL;
	struct points *p = &s->points;
	struct labelled l = { 0 };
	char *word = NULL;
	size_t i;

	if (!file)
		return false;
	for (i = 0; i < p->n && fscanf(file, "%4095ms", &word) == 1; i++) {
		bool ends = strlen(word) < 4095;

		if (ends)
			add_labelled(&l, p, i, word);
		free(word);
		if (!ends)
			break;
	}
	fclose(file);
	*k = l.labels.count;
	s->initial = l.sums.at;
	for (unsigned c = 0; c < *k; c++)
		for (unsigned j = 0; j < p->dim && l.weights.at[c] > 0; j++)
			l.sums.at[c * (size_t)p->dim + j] /= l.weights.at[c];
	numbering_free(&l.labels);
	free(l.weights.at);
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

	return s->o.as_simpoint || !(s->spread > 0) ? 0
						    : variance_of_all(&s->points) * ratio * ratio;
}

bool simpoints_cluster(struct simpoints *s)
{
	const struct simpoint_options *o = &s->o;
	unsigned max_k = (unsigned)o->max_k, k;

	if (!load_initial(s, &k))
		return false;
	if (!limit_clusters(s, &max_k))
		return false;
	s->spread = s->rows.n ? rows_spread(&s->rows, &s->points, (unsigned)o->jobs) : NAN;

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
		.noise = noise(s),
		.as_simpoint = o->as_simpoint,
		.jobs = (unsigned)o->jobs,
	};

	if (s->initial) {
		search.ks = &k;
		search.n_ks = search.n_seeds = 1;
	}
	search_run(&s->points, &search, &s->search);
	select_points(&s->points, search_best(&s->search, s->search.chosen), o->as_simpoint,
		      &s->selection);
	select_stability(&s->search.runs.at[s->search.chosen], s->search.n_seeds, &s->selection);
	return true;
}
