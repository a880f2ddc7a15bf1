/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/search.h"

#include <math.h>
#include <string.h>

#include "analyzers/simpoint/parallel.h"
#include "cli/common/checked.h"

double bic_score(const struct points *p, const struct clustering *c, const double *distances,
		 double noise)
{
	const double pi = 3.14159265358979; /* SimPoint's: the last bits of a score count */
	double *logs = checked_array(c->k, sizeof(*logs));
	double n = (double)p->n, dim = p->dim, squares = 0, weight = 0, score;

	for (unsigned k = 0; k < c->k; k++)
		logs[k] = c->weights[k] > 0 ? log(c->weights[k]) : 0;
	for (size_t i = 0; i < p->n; i++) {
		squares += distances[i] * p->weights[i];
		weight += p->weights[i];
	}

	double variance = squares / (weight / n) / (double)(p->dim * p->n);

	double v = variance > noise ? variance : noise, ratio = v > 0 ? variance / v : 1;

	score = -dim * (log(2 * pi * v) + ratio) / 2 - log(weight);
	for (size_t i = 0; i < p->n; i++)
		if (c->weights[c->labels[i]] > 0)
			score += logs[c->labels[i]] * p->weights[i] / weight;
	free(logs);
	if (v == 0)
		return HUGE_VAL;
	return score * n - ((c->k - 1) + c->k * dim + 1) / 2.0 * log(n);
}

/* ---- one run ----------------------------------------------------------------------------- */

struct trials {
	const struct points *points, *sample;
	const struct search_options *options;
	struct run *run;
	uint32_t seed;
};

static void make_trial(void *opaque, size_t t)
{
	const struct trials *trials = opaque;
	const struct search_options *o = trials->options;
	const struct points *points = trials->points;
	struct clustering *c = &trials->run->trials[t];
	size_t size = (size_t)trials->run->k * points->dim;
	double *distances = checked_array(points->n, sizeof(*distances));
	struct random random;

	*c = (struct clustering){ .k = trials->run->k, .dim = points->dim };
	c->seed = trials->seed + 2 * (uint32_t)t;
	c->initial = checked_array(size, sizeof(double));
	c->centres = checked_array(size, sizeof(double));
	c->weights = checked_array(c->k, sizeof(double));
	c->labels = checked_array(points->n, sizeof(*c->labels));
	random_seed(&random, c->seed);
	if (o->centres)
		memcpy(c->initial, o->centres, size * sizeof(double));
	else
		kmeans_initial(trials->sample, c->k, o->initial, &random, c->initial);
	kmeans_iterate(trials->sample, c, o->iterations, o->as_simpoint);
	kmeans_label(points, c, c->labels, distances);
	c->bic = bic_score(points, c, distances, o->noise);
	if (isnan(c->bic)) /* numbers too small or too great to tell: the worst */
		c->bic = -HUGE_VAL;
	free(distances);
}

/* Appends a run of k clusters. */
static void add_run(struct search *s, const struct points *points, const struct points *sample,
		    const struct search_options *o, unsigned k)
{
	CHECKED_RESERVE(s->runs, s->runs.count + 1);

	struct run *run = &s->runs.at[s->runs.count];
	struct trials trials = { points, sample, o, run,
				 o->seed + (uint32_t)s->runs.count * o->n_seeds };

	*run = (struct run){ .k = k, .trials = checked_array(o->n_seeds, sizeof(*run->trials)) };
	s->runs.count++;
	parallel_for(o->jobs, o->n_seeds, make_trial, &trials);
	for (unsigned t = 1; t < o->n_seeds; t++)
		if (run->trials[t].bic > run->trials[run->best].bic)
			run->best = t;
}

/* ---- the search -------------------------------------------------------------------------- */

static double score(const struct search *s, size_t run)
{
	return search_best(s, run)->bic;
}

/* The first of the runs with the highest or lowest score. */
static size_t extreme(const struct search *s, bool highest)
{
	size_t found = 0;

	for (size_t r = 1; r < s->runs.count; r++)
		if (highest ? score(s, r) > score(s, found) : score(s, r) < score(s, found))
			found = r;
	return found;
}

/* The score that is near enough to the best; infinite if some clustering is perfect. */
static double needed(const struct search *s, double threshold)
{
	double high = score(s, extreme(s, true)), low = score(s, extreme(s, false));

	return isinf(high) || isinf(low) ? high : low + (high - low) * threshold;
}

static void bisect(struct search *s, const struct points *points, const struct points *sample,
		   const struct search_options *o)
{
	unsigned low = 1, high = o->max_k, k = (o->max_k + 1) / 2;

	add_run(s, points, sample, o, 1);
	add_run(s, points, sample, o, o->max_k);
	for (;;) {
		add_run(s, points, sample, o, k);

		bool too_few = extreme(s, true) > extreme(s, false) &&
			       score(s, s->runs.count - 1) < needed(s, o->threshold);
		unsigned next = (k + (too_few ? high : low)) / 2;

		*(too_few ? &low : &high) = k;
		if (high <= low + 1)
			return;
		k = next;
	}
}

static size_t choose(const struct search *s, double threshold)
{
	double least = needed(s, threshold);
	size_t chosen = SIZE_MAX;

	for (size_t r = 0; r < s->runs.count; r++)
		if (score(s, r) >= least &&
		    (chosen == SIZE_MAX || s->runs.at[r].k < s->runs.at[chosen].k))
			chosen = r;
	return chosen;
}

/* ---- sampling ---------------------------------------------------------------------------- */

struct key {
	double key;
	size_t i;
};

static int compare_keys(const void *a, const void *b)
{
	double x = ((const struct key *)a)->key, y = ((const struct key *)b)->key;

	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_places(const void *a, const void *b)
{
	size_t x = ((const struct key *)a)->i, y = ((const struct key *)b)->i;

	return x < y ? -1 : x > y;
}

/*
 * Draws points by chance and weight, none twice: those with the greatest ln(u) / weight (Efraimidis
 * and Spirakis, IPL 97, 2006). They weigh the same: their weights are in how often they are drawn.
 */
static void draw_sample(const struct points *p, size_t size, uint32_t seed, struct points *sample)
{
	struct key *keys = checked_array(p->n, sizeof(*keys));
	struct random random;

	random_seed(&random, seed);
	for (size_t i = 0; i < p->n; i++) {
		double u = (double)random_unit(&random);

		keys[i] = (struct key){ p->weights[i] > 0 ? log(u) / p->weights[i] : -HUGE_VAL, i };
	}
	qsort(keys, p->n, sizeof(*keys), compare_keys);
	qsort(keys, size, sizeof(*keys), compare_places);
	*sample = (struct points){ .n = size, .dim = p->dim };
	sample->at = checked_array(size * p->dim, sizeof(*sample->at));
	sample->weights = checked_array(size, sizeof(*sample->weights));
	for (size_t i = 0; i < size; i++) {
		memcpy(sample->at + i * p->dim, point(p, keys[i].i), p->dim * sizeof(*sample->at));
		sample->weights[i] = 1.0 / (double)size;
	}
	free(keys);
}

void search_run(const struct points *points, const struct search_options *o, struct search *s)
{
	struct points drawn = { 0 };
	const struct points *sample = points;

	if (o->sample_size && o->sample_size < points->n) {
		draw_sample(points, o->sample_size, o->sample_seed, &drawn);
		sample = &drawn;
	}
	*s = (struct search){ .n_seeds = o->n_seeds };
	for (size_t i = 0; i < o->n_ks; i++)
		add_run(s, points, sample, o, o->ks[i]);
	if (!o->n_ks)
		bisect(s, points, sample, o);
	s->chosen = choose(s, o->threshold);
	points_free(&drawn);
}

void search_free(struct search *s)
{
	for (size_t r = 0; r < s->runs.count; r++) {
		for (unsigned t = 0; t < s->n_seeds; t++)
			clustering_free(&s->runs.at[r].trials[t]);
		free(s->runs.at[r].trials);
	}
	free(s->runs.at);
	*s = (struct search){ 0 };
}
