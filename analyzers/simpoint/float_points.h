/* SPDX-License-Identifier: MIT */
/* Many points: coordinates in single precision, and rows of a multiple of FLOAT_LANES. */
#ifndef FLOAT_POINTS_H
#define FLOAT_POINTS_H

#include <stddef.h>
#include <stdint.h>

/* Partial results of so many rows are added up in the order of the rows, so that no result depends
 * on the number of cores. */
enum { CHUNK_ROWS = 4096, FLOAT_LANES = 16 };

struct float_points {
	size_t n, room;
	unsigned dim;    /* in use */
	unsigned stride; /* dim, rounded up to a multiple of FLOAT_LANES; the rest is 0 */
	float *at;       /* n * stride */
	double *weights; /* n */
};

static inline size_t n_chunks(size_t n)
{
	return (n + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

static inline float *float_point(const struct float_points *p, size_t i)
{
	return p->at + i * p->stride;
}

/* Begins without points. */
void float_points_begin(struct float_points *points, unsigned dim);
void float_points_free(struct float_points *points);

/*
 * Appends n points of weight 0 at the origin. Returns the first. Ends the process if memory is out.
 */
float *float_points_add(struct float_points *points, size_t n);

/*
 * Squared Euclidean distance between rows of a multiple of FLOAT_LANES numbers. Each lane is summed
 * in order, so that several sums are under way at a time, and the lanes at the end.
 */
static inline float float_distance(const float *a, const float *b, unsigned stride)
{
	typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
	eight first = { 0 }, second = { 0 };
	float sums[4];

	for (unsigned j = 0; j < stride; j += FLOAT_LANES) {
		const eight *x = (const eight *)(a + j), *y = (const eight *)(b + j);
		eight d1 = x[0] - y[0], d2 = x[1] - y[1];

		first += d1 * d1;
		second += d2 * d2;
	}
	for (unsigned j = 0; j < 4; j++)
		sums[j] = (first[j] + first[j + 4]) + (second[j] + second[j + 4]);
	return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/*
 * Merges points whose coordinates are equal after rounding to 1/1000 of the root mean square
 * coordinate: the first of them stays, with the weight of all. Points keep their order. Returns for
 * each former point the number of the one that stands for it. Free it.
 */
uint32_t *float_points_merge(struct float_points *points);

#endif
