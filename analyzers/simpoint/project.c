/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/project.h"

#include "analyzers/simpoint/parallel.h"
#include "analyzers/simpoint/random.h"
#include "cli/common/checked.h"

enum { TASK_ROWS = 64 };

void points_free(struct points *p)
{
	free(p->at);
	free(p->weights);
	*p = (struct points){ 0 };
}

void projection_draw(struct projection *p, uint32_t rows, unsigned dim, uint32_t seed)
{
	struct random random;
	size_t n = (size_t)rows * dim;

	random_seed(&random, seed);
	*p = (struct projection){ rows, dim, checked_array(n, sizeof(*p->at)) };
	for (size_t i = 0; i < n; i++)
		p->at[i] = (double)(2 * random_unit(&random)) - 1;
}

void projection_free(struct projection *p)
{
	free(p->at);
	*p = (struct projection){ 0 };
}

struct task {
	const struct bb_rows *rows;
	const struct projection *projection;
	struct points *points;
};

static void project_row(const struct bb_row *row, const struct projection *projection,
			double *restrict point, unsigned dim)
{
	for (uint32_t k = 0; k < row->n; k++) {
		double share = row->values[k] / row->sum;

		if (!projection) {
			point[row->ids[k] - 1] += share;
			continue;
		}
		const double *restrict along = projection->at + (size_t)(row->ids[k] - 1) * dim;

		for (unsigned j = 0; j < dim; j++)
			point[j] += share * along[j];
	}
}

static void project_some(void *opaque, size_t task)
{
	const struct task *t = opaque;
	struct points *points = t->points;

	for (size_t i = task * TASK_ROWS; i < points->n && i < (task + 1) * TASK_ROWS; i++)
		if (t->rows->at[i].sum > 0)	/* else it stays at the origin */
			project_row(&t->rows->at[i], t->projection, points->at + i * points->dim,
				    points->dim);
}

void project(const struct bb_rows *rows, const struct projection *projection, unsigned jobs,
	     struct points *points)
{
	struct task task = { rows, projection, points };
	unsigned dim = projection ? projection->dim : rows->n_dims;

	*points = (struct points){ .n = rows->n, .dim = dim };
	points->at = checked_array(rows->n * dim, sizeof(*points->at));
	points->weights = checked_array(rows->n, sizeof(*points->weights));
	for (size_t i = 0; i < rows->n; i++)
		points->weights[i] = 1.0 / (double)rows->n;
	parallel_for(jobs, (rows->n + TASK_ROWS - 1) / TASK_ROWS, project_some, &task);
}

void weigh_by_sums(const struct bb_rows *rows, struct points *points)
{
	double total = 0;

	for (size_t i = 0; i < rows->n; i++)
		total += rows->at[i].sum;
	for (size_t i = 0; i < rows->n && total > 0; i++)
		points->weights[i] = rows->at[i].sum / total;
}
