/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/sign_projection.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analyzers/simpoint/splitmix.h"

/* Coordinates two at a time, and the sign bits of a pair by two bits of an identity. */
typedef double two __attribute__((vector_size(16)));
typedef uint64_t two_bits __attribute__((vector_size(16)));

enum { PAIRS = SIGN_PROJECTION_MAX_DIM / 2, PAIRS_OF_WORD = 32 };

static const uint64_t minus = UINT64_C(1) << 63;
static const two_bits signs[4] = { { 0, 0 }, { minus, 0 }, { 0, minus }, { minus, minus } };

static void add(two *sums, unsigned n_pairs, uint64_t identity, double count)
{
	const two_bits value = (two_bits)(two){ count, count };

	for (unsigned at = 0; at < n_pairs; at += PAIRS_OF_WORD) {
		uint64_t word = splitmix(identity, at / PAIRS_OF_WORD);
		unsigned n = n_pairs - at < PAIRS_OF_WORD ? n_pairs - at : PAIRS_OF_WORD;

		for (unsigned i = 0; i < n; i++, word >>= 2)
			sums[at + i] += (two)(value ^ signs[word & 3]);
	}
}

/* ---- small whole counts ------------------------------------------------------------------- */

/* Whole counts below 2^31 together: four coordinates at a time, and masks of them by four bits of
 * an identity. The counts with a minus sign are summed; the total minus twice that sum results. */
typedef int32_t four __attribute__((vector_size(16)));

enum { FOURS = SIGN_PROJECTION_MAX_DIM / 4, FOURS_OF_WORD = 16 };

#define MASK(bits)                                                                      \
	{                                                                               \
		-((bits)&1), -((bits) >> 1 & 1), -((bits) >> 2 & 1), -((bits) >> 3 & 1) \
	}
#define MASKS(bits) MASK(bits), MASK((bits) + 1), MASK((bits) + 2), MASK((bits) + 3)

static const four masks[16] = { MASKS(0), MASKS(4), MASKS(8), MASKS(12) };

static bool are_small(const double *counts, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(counts[i] >= 0 && counts[i] <= INT32_MAX) ||
		    counts[i] != (double)(int32_t)counts[i])
			return false;
		sum += counts[i];
	}
	return sum <= INT32_MAX;
}

static void add_small(four *negative, unsigned n_fours, uint64_t identity, int32_t count)
{
	const four value = { count, count, count, count };

	for (unsigned at = 0; at < n_fours; at += FOURS_OF_WORD) {
		uint64_t word = splitmix(identity, at / FOURS_OF_WORD);
		unsigned n = n_fours - at < FOURS_OF_WORD ? n_fours - at : FOURS_OF_WORD;

		for (unsigned i = 0; i < n; i++, word >>= 4)
			negative[at + i] += value & masks[word & 15];
	}
}

static void project_small(const uint64_t *identities, const double *counts, size_t n, double scale,
			  unsigned dim, float *point)
{
	four negative[FOURS];
	unsigned n_fours = (dim + 3) / 4;
	double total = 0;

	memset(negative, 0, n_fours * sizeof(*negative));
	for (size_t i = 0; i < n; i++) {
		add_small(negative, n_fours, identities[i], (int32_t)counts[i]);
		total += counts[i];
	}
	for (unsigned j = 0; j < dim; j++)
		point[j] = (float)((total - 2 * (double)negative[j / 4][j % 4]) * scale);
}

/* ------------------------------------------------------------------------------------------- */

void sign_project(const uint64_t *identities, const double *counts, size_t n, double sum,
		  unsigned dim, float *point)
{
	two sums[PAIRS];
	unsigned n_pairs = (dim + 1) / 2;
	double scale = sum > 0 ? 1 / (sum * sqrt(dim)) : 0;

	if (are_small(counts, n)) {
		project_small(identities, counts, n, scale, dim, point);
		return;
	}
	memset(sums, 0, n_pairs * sizeof(*sums));
	for (size_t i = 0; i < n; i++)
		add(sums, n_pairs, identities[i], counts[i]);
	for (unsigned j = 0; j < dim; j++)
		point[j] = (float)(sums[j / 2][j % 2] * scale);
}
