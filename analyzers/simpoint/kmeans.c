/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/kmeans.h"

#include <math.h>
#include <string.h>

#include "cli/common/checked.h"

/*
 * Centres four at a time, so that the distances of a point from four of them are summed at once,
 * each in the same order as squared_distance does: the results are the same to the last bit.
 */
typedef double four __attribute__((vector_size(32)));

struct grid {
	unsigned groups, dim;
	four *at; /* group after group; dim each. Without a centre: infinite */
};

static void grid_init(struct grid *g, unsigned k, unsigned dim)
{
	g->groups = (k + 3) / 4;
	g->dim = dim;
	g->at = checked(aligned_alloc(sizeof(four), (size_t)g->groups * dim * sizeof(four)));
}

static void grid_set(struct grid *g, const double *centres, unsigned k)
{
	for (unsigned c = 0; c < 4 * g->groups; c++)
		for (unsigned j = 0; j < g->dim; j++)
			g->at[c / 4 * g->dim + j][c % 4] = c < k ? centres[(size_t)c * g->dim + j]
								 : HUGE_VAL;
}

/* Returns the nearest centre, the first of several; *least receives the squared distance. */
static uint32_t nearest(const struct grid *g, const double *x, double *least)
{
	const four *centre = g->at;
	uint32_t found = 0;

	*least = HUGE_VAL;
	for (unsigned group = 0; group < g->groups; group++) {
		four sum = { 0, 0, 0, 0 };

		for (unsigned j = 0; j < g->dim; j++) {
			four d = x[j] - *centre++;

			sum += d * d;
		}
		for (unsigned lane = 0; lane < 4; lane++)
			if (sum[lane] < *least) {
				*least = sum[lane];
				found = 4 * group + lane;
			}
	}
	return found;
}

void clustering_free(struct clustering *c)
{
	free(c->initial);
	free(c->centres);
	free(c->weights);
	free(c->labels);
	*c = (struct clustering){ 0 };
}

void kmeans_label(const struct points *p, const struct clustering *c, uint32_t *labels,
		  double *distances)
{
	struct grid grid;
	double least;

	grid_init(&grid, c->k, c->dim);
	grid_set(&grid, c->centres, c->k);
	for (size_t i = 0; i < p->n; i++) {
		labels[i] = nearest(&grid, point(p, i), &least);
		if (distances)
			distances[i] = least;
	}
	free(grid.at);
}

/* ---- initial centres --------------------------------------------------------------------- */

static void copy_point(const struct points *p, size_t i, double *centre)
{
	memcpy(centre, point(p, i), p->dim * sizeof(*centre));
}

/* Lowers each point's distance from the centres chosen to that from one more; returns their
 * weighted sum. least and lowered may be the same array. */
static double lower(const struct points *p, const double *centre, const double *least,
		    double *lowered)
{
	double sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		double d = squared_distance(point(p, i), centre, p->dim);

		lowered[i] = d < least[i] ? d : least[i];
		sum += p->weights[i] * lowered[i];
	}
	return sum;
}

static size_t farthest(const double *least, size_t n)
{
	size_t found = 0;

	for (size_t i = 1; i < n; i++)
		if (least[i] > least[found])
			found = i;
	return found;
}

static void initial_furthest(const struct points *p, unsigned k, struct random *random,
			     double *centres)
{
	double *least = checked_array(p->n, sizeof(*least));

	for (size_t i = 0; i < p->n; i++)
		least[i] = HUGE_VAL;
	copy_point(p, random_integer(random) % p->n, centres);
	for (unsigned c = 1; c < k; c++) {
		lower(p, centres + (size_t)(c - 1) * p->dim, least, least);
		copy_point(p, farthest(least, p->n), centres + (size_t)c * p->dim);
	}
	free(least);
}

/*
 * Returns a random point, with probabilities proportional to weight * least; sum: the sum of these.
 */
static size_t draw(const struct points *p, const double *least, double sum, struct random *random)
{
	double left = (double)random_unit(random) * sum;
	size_t i;

	for (i = 0; i + 1 < p->n; i++) {
		left -= p->weights[i] * least[i];
		if (left < 0)
			break;
	}
	return i;
}

static void initial_plus_plus(const struct points *p, unsigned k, struct random *random,
			      double *centres)
{
	double *least = checked_array(p->n, sizeof(*least));
	double *trial = checked_array(p->n, sizeof(*trial));
	unsigned candidates = 2 + (unsigned)log(k);
	double sum;

	for (size_t i = 0; i < p->n; i++)
		least[i] = HUGE_VAL;
	copy_point(p, random_integer(random) % p->n, centres);
	sum = lower(p, centres, least, least);
	for (unsigned c = 1; c < k; c++) {
		double lowest = HUGE_VAL;
		size_t best = 0;

		for (unsigned n = 0; n < candidates; n++) {
			size_t i = draw(p, least, sum, random);
			double trial_sum = lower(p, point(p, i), least, trial);

			if (trial_sum < lowest) {
				lowest = trial_sum;
				best = i;
			}
		}
		copy_point(p, best, centres + (size_t)c * p->dim);
		sum = lower(p, point(p, best), least, least);
	}
	free(least);
	free(trial);
}

void kmeans_initial(const struct points *p, unsigned k, enum initial_centres method,
		    struct random *random, double *centres)
{
	switch (method) {
	case INITIAL_SAMPLE:
		for (unsigned c = 0; c < k; c++)
			copy_point(p, random_integer(random) % p->n, centres + (size_t)c * p->dim);
		break;
	case INITIAL_FURTHEST: initial_furthest(p, k, random, centres); break;
	default: initial_plus_plus(p, k, random, centres);
	}
}

/* ---- iteration --------------------------------------------------------------------------- */

/* The state of a clustering under way. */
struct iteration {
	const struct points *points;
	unsigned k;
	struct grid grid;
	double *centres, *weights;   /* what the points are assigned to */
	double *next, *next_weights; /* means of what was assigned */
	uint32_t *labels;
	double *distances;
	size_t *counts; /* points of each cluster */
};

static void assign(struct iteration *it)
{
	grid_set(&it->grid, it->centres, it->k);
	memset(it->counts, 0, it->k * sizeof(*it->counts));
	for (size_t i = 0; i < it->points->n; i++) {
		it->labels[i] = nearest(&it->grid, point(it->points, i), &it->distances[i]);
		it->counts[it->labels[i]]++;
	}
}

/* Computes the means of the points by label. */
static void average(struct iteration *it)
{
	const struct points *p = it->points;

	memset(it->next, 0, (size_t)it->k * p->dim * sizeof(*it->next));
	memset(it->next_weights, 0, it->k * sizeof(*it->next_weights));
	for (size_t i = 0; i < p->n; i++) {
		double *sum = it->next + (size_t)it->labels[i] * p->dim, weight = p->weights[i];
		const double *x = point(p, i);

		for (unsigned j = 0; j < p->dim; j++)
			sum[j] += x[j] * weight;
		it->next_weights[it->labels[i]] += weight;
	}
	for (unsigned c = 0; c < it->k; c++)
		for (unsigned j = 0; it->next_weights[c] > 0 && j < p->dim; j++)
			it->next[(size_t)c * p->dim + j] /= it->next_weights[c];
}

/* Gives cluster c the point that is farthest from its centre; false if none can be spared. */
static bool refill(struct iteration *it, unsigned c)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < it->points->n; i++)
		if (it->distances[i] > 0 && it->counts[it->labels[i]] > 1 &&
		    (found == SIZE_MAX || it->distances[i] > it->distances[found]))
			found = i;
	if (found == SIZE_MAX)
		return false;
	it->counts[it->labels[found]]--;
	it->counts[c]++;
	it->labels[found] = c;
	it->distances[found] = 0;
	return true;
}

/* Drops cluster c, which is empty; the last cluster takes its number. */
static void drop(struct iteration *it, unsigned c)
{
	unsigned last = --it->k, dim = it->points->dim;

	it->counts[c] = it->counts[last];
	memcpy(it->centres + (size_t)c * dim, it->centres + (size_t)last * dim,
	       dim * sizeof(*it->centres));
	for (size_t i = 0; i < it->points->n; i++)
		if (it->labels[i] == last)
			it->labels[i] = c;
}

static void fill_empty(struct iteration *it)
{
	for (unsigned c = 0; c < it->k;)
		if (it->counts[c] || refill(it, c))
			c++;
		else
			drop(it, c);
}

static bool same(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static void swap(double **a, double **b)
{
	double *other = *a;

	*a = *b;
	*b = other;
}

void kmeans_iterate(const struct points *p, struct clustering *c, unsigned limit, bool as_simpoint)
{
	size_t size = (size_t)c->k * p->dim;
	struct iteration it = {
		.points = p,
		.k = c->k,
		.centres = c->centres,
		.weights = c->weights,
		.next = checked_array(size, sizeof(double)),
		.next_weights = checked_array(c->k, sizeof(double)),
		.labels = checked_array(p->n, sizeof(*it.labels)),
		.distances = checked_array(p->n, sizeof(*it.distances)),
		.counts = checked_array(c->k, sizeof(*it.counts)),
	};
	bool done = false;

	grid_init(&it.grid, c->k, p->dim);
	memcpy(it.centres, c->initial, size * sizeof(*it.centres));
	memset(it.weights, 0, c->k * sizeof(*it.weights));
	for (c->iterations = 0; c->iterations < limit && !done; c->iterations++) {
		assign(&it);
		if (!as_simpoint)
			fill_empty(&it);
		average(&it);
		done = same(it.next, it.centres, (size_t)it.k * p->dim);
		swap(&it.centres, &it.next);
		swap(&it.weights, &it.next_weights);
	}
	if (!done && as_simpoint && c->iterations) {
		swap(&it.centres, &it.next);
		swap(&it.weights, &it.next_weights);
	}
	c->centres = it.centres;
	c->weights = it.weights;
	c->k = it.k;
	free(it.next);
	free(it.next_weights);
	free(it.labels);
	free(it.distances);
	free(it.counts);
	free(it.grid.at);
}
