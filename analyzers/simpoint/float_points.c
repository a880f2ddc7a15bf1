/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/float_points.h"

#include <math.h>
#include <string.h>

#include "cli/common/checked.h"
#include "traceformat/common/hash_table.h"

void float_points_begin(struct float_points *p, unsigned dim)
{
	*p = (struct float_points){ .dim = dim,
				    .stride = (dim + FLOAT_LANES - 1) / FLOAT_LANES * FLOAT_LANES };
}

void float_points_free(struct float_points *p)
{
	free(p->at);
	free(p->weights);
	*p = (struct float_points){ 0 };
}

float *float_points_add(struct float_points *p, size_t n)
{
	size_t first = p->n;

	/* not an ARRAY: points may take most of the memory, so they grow by a quarter only */
	if (p->n + n > p->room) {
		p->room = (p->n + n) + (p->n + n) / 4;
		p->at = checked(reallocarray(p->at, p->room, p->stride * sizeof(*p->at)));
		p->weights = checked(reallocarray(p->weights, p->room, sizeof(*p->weights)));
	}
	p->n += n;
	memset(float_point(p, first), 0, n * p->stride * sizeof(*p->at));
	memset(p->weights + first, 0, n * sizeof(*p->weights));
	return float_point(p, first);
}

/* ---- merging ------------------------------------------------------------------------------ */

static double step_of(const struct float_points *p)
{
	double squares = 0;

	for (size_t i = 0; i < p->n; i++) {
		double sum = 0;

		for (unsigned j = 0; j < p->dim; j++)
			sum += (double)float_point(p, i)[j] * (double)float_point(p, i)[j];
		squares += sum;
	}
	return sqrt(squares / ((double)p->n * p->dim)) / 1000;
}

static void round_point(const struct float_points *p, size_t i, double step, int32_t *rounded)
{
	for (unsigned j = 0; j < p->dim; j++) {
		double steps = rint((double)float_point(p, i)[j] / step);

		rounded[j] = (int32_t)fmax(fmin(steps, INT32_MAX), INT32_MIN);
	}
}

uint32_t *float_points_merge(struct float_points *p)
{
	uint32_t *stands = checked_array(p->n, sizeof(*stands));
	size_t size = p->dim * sizeof(int32_t), n = 0;
	int32_t *own = checked(malloc(size)), *other = checked(malloc(size));
	double step = p->n ? step_of(p) : 0;
	struct hash_index index = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		double weight = p->weights[i];
		uint64_t hash, at;
		uint32_t found;

		round_point(p, i, step > 0 ? step : 1, own);
		hash = at = hash_bytes(own, size);
		while ((found = hash_index_next(&index, hash, &at)) != HASH_NONE) {
			round_point(p, found, step > 0 ? step : 1, other);
			if (!memcmp(own, other, size))
				break;
		}
		if (found == HASH_NONE) {
			found = (uint32_t)n++;
			memmove(float_point(p, found), float_point(p, i),
				p->stride * sizeof(*p->at));
			p->weights[found] = 0;
			if (!hash_index_add(&index, hash, found))
				out_of_memory();
		}
		p->weights[found] += weight;
		stands[i] = found;
	}
	hash_index_free(&index);
	free(own);
	free(other);
	p->n = n;
	return stands;
}
