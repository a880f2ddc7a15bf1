/* SPDX-License-Identifier: MIT */
#include "cli/compare/distance.h"

#include <math.h>
#include <stdlib.h>

#include "cli/common/checked.h"

/* The distances of all pairs of intervals, and the least sums up to each. */
struct grid {
	size_t n_a, n_b;
	double *distances, *sums;
};

static size_t cell(const struct grid *g, size_t i, size_t j)
{
	return i * g->n_b + j;
}

/* Returns the sum up to a cell by a step from another one, `weight` times the cell's distance. */
static double sum_from(const struct grid *g, size_t i, size_t j, unsigned back_a, unsigned back_b)
{
	double weight = back_a && back_b ? 2 : 1;

	if (i < back_a || j < back_b)
		return INFINITY;
	return g->sums[cell(g, i - back_a, j - back_b)] + weight * g->distances[cell(g, i, j)];
}

static void fill(struct grid *g, const struct intervals *a, const struct intervals *b)
{
	for (size_t i = 0; i < g->n_a; i++)
		for (size_t j = 0; j < g->n_b; j++) {
			double distance = interval_distance(&a->at[i], &b->at[j]);

			g->distances[cell(g, i, j)] = distance;
			g->sums[cell(g, i, j)] = i + j ? fmin(sum_from(g, i, j, 1, 1),
							      fmin(sum_from(g, i, j, 1, 0),
								   sum_from(g, i, j, 0, 1)))
						       : 2 * distance;
		}
}

/* Lists the steps that lead to the last cell. */
static void trace_back(const struct grid *g, struct alignment *alignment)
{
	size_t i = g->n_a - 1, j = g->n_b - 1;

	for (;;) {
		double sum = g->sums[cell(g, i, j)];

		CHECKED_RESERVE(alignment->steps, alignment->steps.count + 1);
		alignment->steps.at[alignment->steps.count++] = (struct aligned){
			{ (uint32_t)i, (uint32_t)j }, g->distances[cell(g, i, j)]
		};
		if (!i && !j)
			return;
		if (sum_from(g, i, j, 1, 1) <= sum) {
			i--;
			j--;
		} else if (sum_from(g, i, j, 1, 0) <= sum) {
			i--;
		} else {
			j--;
		}
	}
}

static void reverse(struct alignment *alignment)
{
	size_t n = alignment->steps.count;

	for (size_t i = 0; i < n / 2; i++) {
		struct aligned step = alignment->steps.at[i];

		alignment->steps.at[i] = alignment->steps.at[n - 1 - i];
		alignment->steps.at[n - 1 - i] = step;
	}
}

struct alignment align_intervals(const struct intervals *a, const struct intervals *b)
{
	struct grid g = { .n_a = a->count, .n_b = b->count };
	struct alignment alignment = { .distance = NAN };

	if (!g.n_a || !g.n_b || g.n_a > MOST_INTERVALS || g.n_b > MOST_INTERVALS)
		return alignment;
	g.distances = checked_array(g.n_a * g.n_b, sizeof(double));
	g.sums = checked_array(g.n_a * g.n_b, sizeof(double));
	fill(&g, a, b);
	alignment.distance = g.sums[cell(&g, g.n_a - 1, g.n_b - 1)] / (double)(g.n_a + g.n_b);
	trace_back(&g, &alignment);
	reverse(&alignment);
	free(g.distances);
	free(g.sums);
	return alignment;
}
