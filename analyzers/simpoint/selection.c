/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/selection.h"

#include <math.h>
#include <string.h>

#include "analyzers/simpoint/parallel.h"
#include "cli/common/checked.h"

/* ---- points ------------------------------------------------------------------------------ */

/* Sums up the clusters: sums[c] is at first a point for each cluster, whether it has intervals
 * or not. */
static void sum_up(const struct points *p, const struct selection *s, struct simpoint *sums)
{
	for (size_t i = 0; i < p->n; i++) {
		struct simpoint *sum = &sums[s->labels[i]];

		if (sum->intervals == 0 || s->distances[i] < sum->distance) {
			sum->interval = i;
			sum->distance = s->distances[i];
		}
		sum->intervals++;
		sum->weight += p->weights[i];
		sum->radius += p->weights[i] * s->distances[i];
	}
}

void select_points(const struct points *p, const struct clustering *c, bool as_simpoint,
		   struct selection *s)
{
	struct simpoint *sums = checked_array(c->k, sizeof(*sums));
	double total = 0;

	*s = (struct selection){
		.labels = checked_array(p->n, sizeof(*s->labels)),
		.distances = checked_array(p->n, sizeof(*s->distances)),
		.at = sums,
	};
	memcpy(s->labels, c->labels, p->n * sizeof(*s->labels));
	for (size_t i = 0; i < p->n; i++)
		s->distances[i] = sqrt(squared_distance(point(p, i),
							c->centres + (size_t)c->labels[i] * p->dim,
							p->dim));
	sum_up(p, s, sums);
	for (unsigned k = 0; k < c->k; k++) {
		struct simpoint sum = sums[k];

		sum.cluster = k;
		sum.stability = NAN;
		sum.radius = sum.weight > 0 ? sum.radius / sum.weight : 0;
		if (as_simpoint)
			sum.weight = c->weights[k];
		if (sum.weight > 0)
			total += sum.weight;
		if (sum.weight > 0 && sum.intervals)
			s->at[s->n++] = sum;
	}
	for (unsigned i = 0; i < s->n; i++)
		s->at[i].weight /= total;
}

void selection_free(struct selection *s)
{
	free(s->at);
	free(s->labels);
	free(s->distances);
	*s = (struct selection){ 0 };
}

/* ---- stability --------------------------------------------------------------------------- */

/* Adds to each point's stability how well its cluster is found in another clustering. */
static void add_overlap(const struct clustering *best, const struct clustering *other, size_t n,
			struct selection *s)
{
	size_t *both = checked_array((size_t)best->k * other->k, sizeof(*both));
	size_t *sizes = checked_array(other->k, sizeof(*sizes));

	for (size_t i = 0; i < n; i++) {
		both[(size_t)best->labels[i] * other->k + other->labels[i]]++;
		sizes[other->labels[i]]++;
	}
	for (unsigned i = 0; i < s->n; i++) {
		double most = 0;

		for (unsigned c = 0; c < other->k; c++) {
			size_t common = both[(size_t)s->at[i].cluster * other->k + c];
			double share = (double)common /
				       (double)(s->at[i].intervals + sizes[c] - common);

			most = share > most ? share : most;
		}
		s->at[i].stability += most;
	}
	free(both);
	free(sizes);
}

void select_stability(const struct run *run, unsigned n_trials, struct selection *s)
{
	const struct clustering *best = &run->trials[run->best];
	size_t n = 0;

	if (n_trials < 2)
		return;
	for (unsigned i = 0; i < s->n; i++) {
		s->at[i].stability = 0;
		n += s->at[i].intervals;
	}
	for (unsigned t = 0; t < n_trials; t++)
		if (t != run->best)
			add_overlap(best, &run->trials[t], n, s);
	for (unsigned i = 0; i < s->n; i++)
		s->at[i].stability /= n_trials - 1;
}

/* ---- the vectors themselves -------------------------------------------------------------- */

/* Adds a row's shares, times weight, to shares by the id's number - 1. */
static void add_shares(const struct bb_row *row, double weight, double *shares)
{
	for (uint32_t k = 0; k < row->n && row->sum > 0; k++)
		shares[row->ids[k] - 1] += weight * row->values[k] / row->sum;
}

/* The shares of the blocks in all intervals. */
static double *all_shares(const struct bb_rows *rows, const struct points *points)
{
	double *shares = checked_array(rows->n_numbers, sizeof(*shares)), total = 0;

	for (size_t i = 0; i < rows->n; i++)
		total += points->weights[i];
	for (size_t i = 0; i < rows->n; i++)
		add_shares(&rows->at[i], points->weights[i] / total, shares);
	return shares;
}

struct quality select_quality(const struct bb_rows *rows, const struct points *points,
			      const struct selection *s)
{
	double *all = all_shares(rows, points);
	double *some = checked_array(rows->n_numbers, sizeof(*some));
	struct quality quality = { 0, 0 };

	for (unsigned i = 0; i < s->n; i++)
		add_shares(&rows->at[s->at[i].interval], s->at[i].weight, some);
	for (uint32_t d = 0; d < rows->n_numbers; d++) {
		quality.error += fabs(all[d] - some[d]) / 2;
		quality.coverage += some[d] > 0 ? all[d] : 0;
	}
	free(all);
	free(some);
	return quality;
}

enum { TASK_ROWS = 256 };

struct spread {
	const struct bb_rows *rows;
	const double *all;
	double *by_row;
};

/* Computes the spread for the rows of one task. */
static void spread_some(void *opaque, size_t task)
{
	const struct spread *spread = opaque;
	const struct bb_rows *rows = spread->rows;
	double *own = checked_array(rows->n_numbers, sizeof(*own));

	for (size_t i = task * TASK_ROWS; i < rows->n && i < (task + 1) * TASK_ROWS; i++) {
		const struct bb_row *row = &rows->at[i];
		double common = 0; /* what both have, of 1 each */

		add_shares(row, 1, own);
		for (uint32_t k = 0; k < row->n; k++) {
			uint32_t d = row->ids[k] - 1;

			common += fmin(own[d], spread->all[d]);
			own[d] = 0; /* an id that comes twice counts once */
		}
		spread->by_row[i] = 1 - common;
	}
	free(own);
}

double rows_spread(const struct bb_rows *rows, const struct points *points, unsigned jobs)
{
	double *all = all_shares(rows, points), sum = 0, total = 0;
	double *by_row = checked_array(rows->n, sizeof(*by_row));
	struct spread spread = { rows, all, by_row };

	parallel_for(jobs, (rows->n + TASK_ROWS - 1) / TASK_ROWS, spread_some, &spread);
	for (size_t i = 0; i < rows->n; i++) {
		sum += points->weights[i] * by_row[i];
		total += points->weights[i];
	}
	free(all);
	free(by_row);
	return sum / total;
}
