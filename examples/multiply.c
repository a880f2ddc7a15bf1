/* SPDX-License-Identifier: MIT */
/*
 * multiply - a matrix product in three orders, for trace-slo to tell what is wrong with the first
 * two. usage: multiply naive|interchanged|tiled
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20, N = 600, TILE = 50 };

static double a[ROWS][N], b[N][N], c[ROWS][N];

static void naive(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				c[i][j] += a[i][k] * b[k][j];
}

static void interchanged(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
}

static void multiply_tile(int first_k, int first_j)
{
	for (int i = 0; i < ROWS; i++)
		for (int k = first_k; k < first_k + TILE; k++)
			for (int j = first_j; j < first_j + TILE; j++)
				c[i][j] += a[i][k] * b[k][j];
}

static void tiled(void)
{
	for (int k = 0; k < N; k += TILE)
		for (int j = 0; j < N; j += TILE)
			multiply_tile(k, j);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*multiply)(void);
	} ways[] = { { "naive", naive }, { "interchanged", interchanged }, { "tiled", tiled } };

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (argc != 2 || strcmp(argv[1], ways[i].name))
			continue;
		a[1][2] = b[2][3] = 1;
		ways[i].multiply();
		printf("%g\n", c[1][3]);
		return EXIT_SUCCESS;
	}
	fputs("usage: multiply naive|interchanged|tiled\n", stderr);
	return EXIT_FAILURE;
}
