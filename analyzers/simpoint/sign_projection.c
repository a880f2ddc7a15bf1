/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/sign_projection.h"

#include <math.h>
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

void sign_project(const uint64_t *identities, const double *counts, size_t n, double sum,
		  unsigned dim, float *point)
{
	two sums[PAIRS];
	unsigned n_pairs = (dim + 1) / 2;
	double scale = sum > 0 ? 1 / (sum * sqrt(dim)) : 0;

	memset(sums, 0, n_pairs * sizeof(*sums));
	for (size_t i = 0; i < n; i++)
		add(sums, n_pairs, identities[i], counts[i]);
	for (unsigned j = 0; j < dim; j++)
		point[j] = (float)(sums[j / 2][j % 2] * scale);
}
