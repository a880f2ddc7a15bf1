/* flags: -O3 -march=native -ffast-math -static */
/* SPDX-License-Identifier: MIT */
/*
 * Loops that compilers make gathers, scatters, compress stores and masked moves of, where the
 * processor has them.
 */
#include <stdint.h>
#include <stdio.h>

enum { N = 203 };	/* no multiple of a vector's length */

static uint32_t words[N], found[N];
static int32_t index32[N];
static int64_t index64[N];
static float singles[N], scaled[N];
static double doubles[N];
static uint8_t bytes[N];

static void fill(void)
{
	uint32_t x = 12345;

	for (int i = 0; i < N; i++) {
		x = x * 1664525 + 1013904223;
		words[i] = x;
		index32[i] = (int32_t)(x >> 8) % N;
		index64[i] = (x >> 3) % N;
		singles[i] = (float)(x >> 16);
		doubles[i] = (double)(x >> 12);
		bytes[i] = (uint8_t)(x >> 24);
	}
}

/* Multiplies a row of a sparse matrix by a vector. */
static double sparse(void)
{
	double sum = 0;

	#pragma GCC ivdep
	for (int i = 0; i < N; i++)
		sum += doubles[i] * doubles[index32[i]];
	return sum;
}

static float sparse64(void)
{
	float sum = 0;

	for (int i = 0; i < N; i++)
		sum += singles[index64[i]];
	return sum;
}

static void conditional(uint32_t limit)
{
	#pragma GCC ivdep
	for (int i = 0; i < N; i++)
		if (words[i] > limit)
			scaled[index32[i]] = 2 * singles[index32[i]];
}

static void strided(void)
{
	for (int i = 0; i < N / 3; i++)
		found[i] = words[3 * i] + words[3 * i + 1];
}

static unsigned select_some(uint32_t limit)
{
	unsigned n = 0;

	for (int i = 0; i < N; i++)
		if (words[i] < limit)
			found[n++] = words[i];
	return n;
}

static void table(void)
{
	for (int i = 0; i < N; i++)
		found[i] ^= words[bytes[i]];
}

static void masked(float limit)
{
	for (int i = 0; i < N; i++)
		if (singles[i] > limit)
			scaled[i] = singles[i] + (float)i;
}

int main(void)
{
	uint64_t sum = 0;
	double total = 0;

	fill();
	for (uint32_t round = 1; round < 4; round++) {
		total += sparse() + sparse64();
		conditional(round << 30);
		strided();
		sum += select_some(round << 29);
		table();
		masked((float)(round << 13));
		for (int i = 0; i < N; i++) {
			sum = sum * 31 + found[i];
			total += scaled[i];
		}
	}
	printf("%llu %.6e\n", (unsigned long long)sum, total);
	return 0;
}
