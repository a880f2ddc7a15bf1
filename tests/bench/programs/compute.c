/* SPDX-License-Identifier: MIT */
/* compute N: multiplies two N x N matrices of doubles, with regular loops and addresses. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 256;
	double *a = malloc(n * n * sizeof(*a)), *b = malloc(n * n * sizeof(*b));
	double *c = calloc(n * n, sizeof(*c)), sum = 0;

	if (!a || !b || !c)
		return 1;
	for (size_t i = 0; i < n * n; i++) {
		a[i] = (double)(i % 7);
		b[i] = (double)(i % 5);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
	for (size_t i = 0; i < n * n; i++)
		sum += c[i] * (double)(i % 3);
	printf("%.0f\n", sum);
	return 0;
}
