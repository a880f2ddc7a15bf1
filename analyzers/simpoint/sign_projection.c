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

/* Whole counts below 2^31 together: eight coordinates at a time. The counts with a minus sign are
 * summed; the total minus twice that sum results. */
typedef int32_t eight __attribute__((vector_size(32)));

enum { WORDS = (SIGN_PROJECTION_MAX_DIM + 63) / 64, EIGHTS = 8 /* of a word */ };

#define BITS(n)                                                                             \
	{                                                                                   \
		(int32_t)(1u << (n)), (int32_t)(2u << (n)), (int32_t)(4u << (n)),           \
			(int32_t)(8u << (n)), (int32_t)(16u << (n)), (int32_t)(32u << (n)), \
			(int32_t)(64u << (n)), (int32_t)(128u << (n))                       \
	}

static const eight bits[4] = { BITS(0), BITS(8), BITS(16), BITS(24) };

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

/* Sums the counts with a minus sign in the 64 coordinates of a word. */
__attribute__((target_clones("avx2", "default"))) static void sum_negative(
	const uint64_t *identities, const double *counts, size_t n, uint64_t word, eight *negative)
{
	eight sums[EIGHTS] = { 0 };

	for (size_t i = 0; i < n; i++) {
		const uint64_t signs_of_word = splitmix(identities[i], word);
		const int32_t half[2] = { (int32_t)signs_of_word, (int32_t)(signs_of_word >> 32) };
		const eight value = (eight){ 0 } + (int32_t)counts[i];

#pragma GCC unroll 8
		for (unsigned k = 0; k < EIGHTS; k++)
			sums[k] += value & ((half[k / 4] & bits[k % 4]) == bits[k % 4]);
	}
	memcpy(negative, sums, sizeof(sums));
}

static void project_small(const uint64_t *identities, const double *counts, size_t n, double scale,
			  unsigned dim, float *point)
{
	eight negative[WORDS * EIGHTS];
	double total = 0;

	for (unsigned word = 0; word < (dim + 63) / 64; word++)
		sum_negative(identities, counts, n, word, &negative[word * EIGHTS]);
	for (size_t i = 0; i < n; i++)
		total += counts[i];
	for (unsigned j = 0; j < dim; j++)
		point[j] = (float)((total - 2 * (double)negative[j / 8][j % 8]) * scale);
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
