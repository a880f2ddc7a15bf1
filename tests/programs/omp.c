/* SPDX-License-Identifier: MIT */
/* flags: -fopenmp -O2 */
/* Loops whose iterations OpenMP divides among threads, statically and dynamically, and a serial
 * part between them: omp ROUNDS */
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 1 << 15, CHUNK = 256, SERIAL = 20000 };

static double a[ELEMENTS];

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20;
	double sum = 0;

	for (int r = 0; r < rounds; r++) {
#pragma omp parallel for schedule(static)
		for (int i = 0; i < ELEMENTS; i++)
			a[i] = a[i] * 0.5 + i;
#pragma omp parallel for schedule(dynamic, CHUNK)
		for (int i = 0; i < ELEMENTS; i++)
			a[i] = a[i] * 0.25 + 1;
		for (int i = 0; i < SERIAL; i++)
			sum += a[i] * 1e-3;
	}
	printf("%g\n", sum);
	return 0;
}
