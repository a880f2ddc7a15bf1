/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/float_search.h"

#include <math.h>
#include <string.h>

#include "analyzers/simpoint/splitmix.h"
#include "cli/common/checked.h"

/* ---- sample ------------------------------------------------------------------------------- */

struct key {
	double key;
	size_t i;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static int compare_places(const void *a, const void *b)
{
	size_t x = ((const struct key *)a)->i, y = ((const struct key *)b)->i;

	return x < y ? -1 : x > y;
}

size_t *float_sample_draw(const struct float_points *p, size_t size, uint64_t seed,
			  struct float_points *sample)
{
	bool all = size >= p->n;
	size_t n = all ? p->n : size;
	struct key *keys = checked_array(p->n, sizeof(*keys));
	size_t *places = checked_array(n, sizeof(*places));

	for (size_t i = 0; i < p->n; i++) {
		double u = log(1 - splitmix_unit(seed, i));

		keys[i] = (struct key){ p->weights[i] > 0 ? u / p->weights[i] : -HUGE_VAL, i };
	}
	if (!all) {
		qsort(keys, p->n, sizeof(*keys), compare_keys);
		qsort(keys, n, sizeof(*keys), compare_places);
	}
	float_points_begin(sample, p->dim);
	float_points_add(sample, n);
	for (size_t i = 0; i < n; i++) {
		places[i] = keys[i].i;
		memcpy(float_point(sample, i), float_point(p, places[i]),
		       p->stride * sizeof(*sample->at));
		sample->weights[i] = all ? p->weights[i] : 1.0 / (double)n;
	}
	free(keys);
	return places;
}

/* ---- trials ------------------------------------------------------------------------------- */

static void allocate(struct clustering *c, size_t n_points)
{
	size_t size = (size_t)c->k * c->dim;

	c->initial = checked_array(size, sizeof(double));
	c->centres = checked_array(size, sizeof(double));
	c->weights = checked_array(c->k, sizeof(double));
	c->labels = checked_array(n_points, sizeof(*c->labels));
}

static void measure(const struct float_points *p, struct clustering *c, double *distances,
		    unsigned jobs)
{
	double weight = 0;

	bounded_distances(p, c, distances, jobs);
	c->squares = 0;
	for (size_t i = 0; i < p->n; i++) {
		distances[i] *= distances[i];
		c->squares += p->weights[i] * distances[i];
		weight += p->weights[i];
	}
	c->squares /= weight;
}

void float_sample_cluster(const void *opaque, struct clustering *c)
{
	const struct float_sample *sample = opaque;
	const struct float_points *p = &sample->points;
	const struct scored scored = { p->n, p->dim, p->weights, (double)sample->represents };
	double *distances = checked_array(p->n, sizeof(*distances));
	struct random random;

	c->dim = p->dim;
	allocate(c, p->n);
	random_seed(&random, c->seed % (RANDOM_MAX_SEED + 1u));
	if (c->begin)
		memcpy(c->initial, c->begin, (size_t)c->k * c->dim * sizeof(*c->initial));
	else
		bounded_initial(p, c->k, sample->initial, &random, c->initial);
	bounded_iterate(p, c, sample->iterations, 0, 1);
	measure(p, c, distances, 1);
	c->bic = bic_score(&scored, c, distances, sample->noise);
	free(distances);
}

void float_refine(const struct float_points *p, const struct clustering *of_sample, unsigned limit,
		  unsigned jobs, struct clustering *c)
{
	double *distances = checked_array(p->n, sizeof(*distances));

	*c = (struct clustering){ .k = of_sample->k,
				  .dim = of_sample->dim,
				  .seed = of_sample->seed,
				  .bic = of_sample->bic };
	allocate(c, p->n);
	memcpy(c->initial, of_sample->centres, (size_t)c->k * c->dim * sizeof(*c->initial));
	bounded_iterate(p, c, limit, 0, jobs);
	measure(p, c, distances, jobs);
	free(distances);
}
