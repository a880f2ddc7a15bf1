/* SPDX-License-Identifier: MIT */
/* threads N ROUNDS: N threads fill tables of their own, and at times a shared one under a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, ENTRIES = 1 << 12, BETWEEN = 1 << 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned shared[ENTRIES];
static unsigned rounds;

static void *fill(void *argument)
{
	unsigned x = (unsigned)(unsigned long)argument, *own = calloc(ENTRIES, sizeof(*own));

	for (unsigned i = 0; own && i < rounds; i++) {
		for (unsigned k = 0; k < BETWEEN; k++) {
			x = x * 1664525 + 1013904223;
			own[x >> 20] += x & 15;
		}
		pthread_mutex_lock(&lock);
		shared[x >> 20] += own[x >> 20];
		pthread_mutex_unlock(&lock);
	}
	free(own);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	pthread_t threads[MOST];
	unsigned sum = 0;

	rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
	for (unsigned long i = 0; i < n && i < MOST; i++)
		pthread_create(&threads[i], NULL, fill, (void *)(i + 1));
	for (unsigned i = 0; i < n && i < MOST; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < ENTRIES; i++)
		sum += shared[i];
	printf("%u\n", sum);
	return 0;
}
