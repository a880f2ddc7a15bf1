/* SPDX-License-Identifier: MIT */
/*
 * omp ROUNDS: phases of a program with OpenMP: a stencil with equal shares, a histogram whose iterations differ
 * and are handed out one chunk at a time, and a serial part between them. Prints a checksum.
 */
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 60000, WORDS = 20000, BINS = 4096 };

static double cells[CELLS], next[CELLS];
static unsigned bins[BINS];

static void stencil(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 1; i < CELLS - 1; i++)
		next[i] = 0.25 * cells[i - 1] + 0.5 * cells[i] + 0.25 * cells[i + 1];
#pragma omp parallel for schedule(static)
	for (int i = 1; i < CELLS - 1; i++)
		cells[i] = next[i] + 1e-3;
}

static unsigned long histogram(unsigned seed)
{
	unsigned long sum = 0;

#pragma omp parallel for schedule(dynamic, 256) reduction(+ : sum)
	for (int i = 0; i < WORDS; i++) {
		unsigned word = seed + (unsigned)i * 2654435761u;

		for (int k = i % 16; k >= 0; k--)
			word = word * 1664525u + 1013904223u;
		sum += word % BINS;
	}
	return sum;
}

static void serial(unsigned long sum)
{
	for (int i = 0; i < 30000; i++)
		bins[(sum * 31 + (unsigned long)i * 7919) % BINS] += (unsigned)i;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	unsigned long sum = 0;

	for (int i = 0; i < rounds; i++) {
		if (i % 8 < 4)
			stencil();
		else
			sum += histogram((unsigned)i);
		serial(sum);
	}
	printf("%g %lu %u\n", cells[CELLS / 2], sum, bins[7]);
	return 0;
}
