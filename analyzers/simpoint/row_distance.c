/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/row_distance.h"

#include <math.h>

#include "analyzers/common/parallel.h"
#include "cli/common/checked.h"

enum { TASK_ROWS = 256 };

void row_add_shares(const struct bb_row *row, double weight, double *shares)
{
	for (uint32_t k = 0; k < row->n && row->sum > 0; k++)
		shares[row->ids[k] - 1] += weight * row->values[k] / row->sum;
}

void row_clear_shares(const struct bb_row *row, double *shares)
{
	for (uint32_t k = 0; k < row->n; k++)
		shares[row->ids[k] - 1] = 0;
}

/* The parts of an id that stands twice in the other row are compared one after the other. */
double row_distance(const double *shares, const struct bb_row *other)
{
	double common = 0;

	for (uint32_t k = 0; k < other->n && other->sum > 0; k++) {
		double share = shares[other->ids[k] - 1], of_other = other->values[k] / other->sum;

		common += share < of_other ? share : of_other;
	}
	return fmax(1 - common, 0);
}

struct task {
	const struct bb_rows *rows;
	const size_t *of, *points;
	const uint32_t *labels;
	size_t n;
	double *distances;
};

static void measure(void *opaque, size_t number)
{
	const struct task *t = opaque;
	double *shares = checked_array(t->rows->n_numbers, sizeof(*shares));

	for (size_t i = number * TASK_ROWS; i < t->n && i < (number + 1) * TASK_ROWS; i++) {
		const struct bb_row *row = &t->rows->at[t->of[i]];

		row_add_shares(row, 1, shares);
		t->distances[i] = row_distance(shares, &t->rows->at[t->points[t->labels[i]]]);
		row_clear_shares(row, shares);
	}
	free(shares);
}

void row_distances(const struct bb_rows *rows, const size_t *of, const uint32_t *labels, size_t n,
		   const size_t *points, unsigned jobs, double *distances)
{
	struct task task = { rows, of, points, labels, n, distances };

	parallel_for(jobs, (n + TASK_ROWS - 1) / TASK_ROWS, measure, &task);
}
