/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* workers N TURNS: N threads add numbers, each its own share, and to a sum under a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum;
static unsigned turns;

static void *work(void *argument)
{
	unsigned long number = (unsigned long)argument, own = 0;

	for (unsigned i = 0; i < turns; i++)
		own += number * i;
	pthread_mutex_lock(&lock);
	sum += own;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t threads[128];

	turns = argc > 2 ? atoi(argv[2]) : 100;
	for (unsigned long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", sum);
	return 0;
}
