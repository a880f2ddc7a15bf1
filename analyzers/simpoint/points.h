/* SPDX-License-Identifier: MIT */
/*
 * Points in a space of few dimensions, one for each interval: what is clustered.
 */
#ifndef POINTS_H
#define POINTS_H

#include <stddef.h>
#include <stdint.h>

struct points {
	size_t n;
	unsigned dim;
	double *at;      /* n * dim: point after point */
	double *weights; /* n, their sum is 1 */
};

void points_free(struct points *points);

/* Returns the i-th point: dim coordinates. */
static inline const double *point(const struct points *p, size_t i)
{
	return p->at + i * p->dim;
}

/* Squared Euclidean distance, summed from the first dimension to the last. */
static inline double squared_distance(const double *a, const double *b, unsigned dim)
{
	double sum = 0;

	for (unsigned j = 0; j < dim; j++) {
		double d = a[j] - b[j];

		sum += d * d;
	}
	return sum;
}

#endif
