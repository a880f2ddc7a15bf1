/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/ward.h"

#include <math.h>
#include <string.h>

#include "analyzers/simpoint/points.h"
#include "cli/common/checked.h"

struct merging {
	unsigned k, dim;
	double *centres, *weights;
	double *costs; /* by pair a < b: a * k + b; of one that is gone: infinite */
};

static double cost(const struct merging *m, unsigned a, unsigned b)
{
	double w = m->weights[a], v = m->weights[b];

	if (!(w > 0 && v > 0))
		return 0;
	return w * v / (w + v) *
	       squared_distance(m->centres + (size_t)a * m->dim, m->centres + (size_t)b * m->dim,
				m->dim);
}

static double *cost_at(const struct merging *m, unsigned a, unsigned b)
{
	return &m->costs[a < b ? (size_t)a * m->k + b : (size_t)b * m->k + a];
}

static void cheapest(const struct merging *m, unsigned *first, unsigned *second)
{
	double least = HUGE_VAL;

	for (unsigned a = 0; a < m->k; a++)
		for (unsigned b = a + 1; b < m->k; b++)
			if (*cost_at(m, a, b) < least) {
				least = *cost_at(m, a, b);
				*first = a;
				*second = b;
			}
}

/* Merges b into a. */
static void merge(struct merging *m, unsigned a, unsigned b, const bool *gone)
{
	double *x = m->centres + (size_t)a * m->dim, *y = m->centres + (size_t)b * m->dim;
	double weight = m->weights[a] + m->weights[b];

	for (unsigned j = 0; j < m->dim && weight > 0; j++)
		x[j] += (y[j] - x[j]) * (m->weights[b] / weight);
	m->weights[a] = weight;
	for (unsigned c = 0; c < m->k; c++) {
		if (c != b)
			*cost_at(m, b, c) = HUGE_VAL;
		if (c != a && !gone[c])
			*cost_at(m, a, c) = cost(m, a, c);
	}
}

void ward_merge(const double *centres, const double *weights, unsigned k, unsigned dim, unsigned n,
		double *merged)
{
	size_t size = (size_t)k * dim;
	struct merging m = { k, dim, checked_array(size, sizeof(double)),
			     checked_array(k, sizeof(double)),
			     checked_array((size_t)k * k, sizeof(double)) };
	bool *gone = checked_array(k, sizeof(*gone));

	memcpy(m.centres, centres, size * sizeof(*centres));
	memcpy(m.weights, weights, k * sizeof(*weights));
	for (unsigned a = 0; a < k; a++)
		for (unsigned b = a + 1; b < k; b++)
			*cost_at(&m, a, b) = cost(&m, a, b);
	for (unsigned left = k; left > n; left--) {
		unsigned a = 0, b = 0;

		cheapest(&m, &a, &b);
		gone[b] = true;
		merge(&m, a, b, gone);
	}
	for (unsigned c = 0; c < k; c++)
		if (!gone[c]) {
			memcpy(merged, m.centres + (size_t)c * dim, dim * sizeof(*merged));
			merged += dim;
		}
	free(m.centres);
	free(m.weights);
	free(m.costs);
	free(gone);
}
