/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/project.h"

#include "analyzers/common/parallel.h"
#include "analyzers/simpoint/random.h"
#include "cli/common/checked.h"

enum { TASK_ROWS = 64 };

void points_free(struct points *p)
{
	free(p->at);
	free(p->weights);
	*p = (struct points){ 0 };
}

/* A seed for the row of an id, spread over all seeds. */
static uint32_t seed_of_id(uint32_t seed, uint32_t id)
{
	uint64_t mixed = ((uint64_t)seed << 32 | id) * UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return 2 + (uint32_t)((mixed ^ mixed >> 32) % (RANDOM_MAX_SEED - 1));
}

void projection_draw(struct projection *p, const struct bb_rows *rows, bool whole, bool as_simpoint,
		     unsigned dim, uint32_t seed)
{
	bool numbered = rows->id_of && !whole, each = rows->id_of && !as_simpoint;
	uint32_t n = numbered ? rows->n_numbers : rows->n_dims, number = 0;
	struct random random;

	random_seed(&random, seed);
	*p = (struct projection){ n, numbered, dim,
				  checked_array((size_t)n * dim, sizeof(*p->at)) };
	for (uint32_t id = 1; number < n; id++) {
		double *row = p->at + (size_t)number * dim;

		if (each && numbered)
			id = rows->id_of[number];
		if (each)
			random_seed(&random, seed_of_id(seed, id));
		for (unsigned j = 0; j < dim; j++) /* an id that is left out is overwritten */
			row[j] = (double)(2 * random_unit(&random)) - 1;
		number += !numbered || rows->id_of[number] == id;
	}
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

static void project_row(const struct bb_rows *rows, const struct bb_row *row,
			const struct projection *projection, double *restrict point, unsigned dim)
{
	for (uint32_t k = 0; k < row->n; k++) {
		double share = row->values[k] / row->sum;

		if (!projection) {
			point[bb_id(rows, row->ids[k]) - 1] += share;
			continue;
		}
		uint32_t at = projection->numbered ? row->ids[k] : bb_id(rows, row->ids[k]);
		const double *restrict along = projection->at + (size_t)(at - 1) * dim;

		for (unsigned j = 0; j < dim; j++)
			point[j] += share * along[j];
	}
}

static void project_some(void *opaque, size_t task)
{
	const struct task *t = opaque;
	struct points *points = t->points;

	for (size_t i = task * TASK_ROWS; i < points->n && i < (task + 1) * TASK_ROWS; i++)
		if (t->rows->at[i].sum > 0) /* else it stays at the origin */
			project_row(t->rows, &t->rows->at[i], t->projection,
				    points->at + i * points->dim, points->dim);
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
