/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Parallel regions of two kinds, that begin with a call of GOMP_parallel as those of OpenMP do,
 * with serial parts between; and a short one. The threads' work does not depend on their timing.
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, ROUNDS = 6 };

static unsigned cells[2000];

static void *add(void *data)
{
	unsigned me = *(const unsigned *)data;

	for (unsigned i = me; i < 2000; i += THREADS)
		cells[i] += i;
	return NULL;
}

static void *mix(void *data)
{
	unsigned me = *(const unsigned *)data, word = me;

	for (unsigned i = 0; i < 1500; i++)
		word = word * 1664525 + 1013904223;
	cells[me] = word;
	return NULL;
}

__attribute__((noinline)) void GOMP_parallel(void *(*work)(void *), unsigned threads)
{
	static unsigned numbers[THREADS] = { 0, 1 };
	pthread_t other;

	if (threads > 1)
		pthread_create(&other, NULL, work, &numbers[1]);
	work(&numbers[0]);
	if (threads > 1)
		pthread_join(other, NULL);
}

static void *nothing(void *data)
{
	return data;
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		GOMP_parallel(i % 3 ? add : mix, THREADS);
		cells[0]++;
	}
	GOMP_parallel(nothing, 1);
	GOMP_parallel(nothing, 1);
	for (int i = 0; i < 1000; i++)
		cells[0] ^= cells[i];
	printf("%u\n", cells[7]);
	return 0;
}
