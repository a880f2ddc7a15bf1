/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_clusters.h"

#include <math.h>
#include <string.h>

#include "analyzers/simpoint/search.h"
#include "analyzers/simpoint/splitmix.h"
#include "cli/common/checked.h"

enum { MOST_ITERATIONS = 200 };
static const double near_enough = 0.9;

/* Makes different points the centres: the first k of a shuffle (Fisher, Yates). */
static void choose_centres(const struct points *p, unsigned k, uint64_t seed, double *centres)
{
	size_t *order = checked_array(p->n, sizeof(*order));

	for (size_t i = 0; i < p->n; i++)
		order[i] = i;
	for (size_t i = 0; i < k; i++) {
		size_t other = i + splitmix(seed, i) % (p->n - i), place = order[other];

		order[other] = order[i];
		order[i] = place;
		memcpy(centres + i * p->dim, point(p, place), p->dim * sizeof(*centres));
	}
	free(order);
}

static struct clustering make_trial(const struct points *p, unsigned k, uint64_t seed)
{
	const struct scored scored = { p->n, p->dim, p->weights, (double)p->n };
	size_t size = (size_t)k * p->dim;
	double *distances = checked_array(p->n, sizeof(*distances));
	struct clustering c = { .k = k,
				.dim = p->dim,
				.initial = checked_array(size, sizeof(double)),
				.centres = checked_array(size, sizeof(double)),
				.weights = checked_array(k, sizeof(double)),
				.labels = checked_array(p->n, sizeof(*c.labels)) };

	choose_centres(p, k, seed, c.initial);
	kmeans_iterate(p, &c, MOST_ITERATIONS, false);
	kmeans_label(p, &c, c.labels, distances);
	c.bic = bic_score(&scored, &c, distances, 0);
	for (size_t i = 0; i < p->n; i++)
		c.squares += p->weights[i] * distances[i];
	if (isnan(c.bic))
		c.bic = -HUGE_VAL;
	free(distances);
	return c;
}

static size_t trials_of(size_t n)
{
	size_t trials = POINTS_IN_TRIALS / n;

	return trials < LEAST_TRIALS ? LEAST_TRIALS : trials > MOST_TRIALS ? MOST_TRIALS : trials;
}

static struct clustering best_trial(const struct points *p, unsigned k)
{
	struct clustering best = make_trial(p, k, splitmix(k, 0));

	for (size_t t = 1; t < trials_of(p->n) && k > 1; t++) {
		struct clustering other = make_trial(p, k, splitmix(k, t)), worse = other;

		if (other.bic > best.bic) {
			worse = best;
			best = other;
		}
		clustering_free(&worse);
	}
	return best;
}

static size_t choose(const struct suite_clusters *c)
{
	double low = HUGE_VAL, high = -HUGE_VAL, needed;
	size_t i = 0;

	for (size_t k = 0; k < c->n; k++) {
		low = fmin(low, c->at[k].bic);
		high = fmax(high, c->at[k].bic);
	}
	needed = isinf(high) || isinf(low) ? high : low + near_enough * (high - low);
	while (c->at[i].bic < needed)
		i++;
	return i;
}

void find_suite_clusters(const struct points *points, struct suite_clusters *c)
{
	c->n = 0;
	for (unsigned k = 1; k <= MOST_CLUSTERS && (k == 1 || 2 * k <= points->n); k++)
		c->at[c->n++] = best_trial(points, k);
	c->chosen = choose(c);
}

void suite_clusters_free(struct suite_clusters *c)
{
	for (size_t i = 0; i < c->n; i++)
		clustering_free(&c->at[i]);
}
