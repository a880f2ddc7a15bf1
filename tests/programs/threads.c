/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Threads that contend for a mutex, hand a token round with a condition variable, and are joined.
 * The output does not depend on how they are scheduled.
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static unsigned turn, sum;
static __thread unsigned own;

static void *run(void *argument)
{
	unsigned me = (unsigned)(unsigned long)argument;

	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		while (turn % THREADS != me)
			pthread_cond_wait(&turned, &lock);
		turn++;
		sum = sum * 31 + me;
		own++;
		pthread_cond_broadcast(&turned);
		pthread_mutex_unlock(&lock);
	}
	return (void *)(unsigned long)own;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned long total = 0;

	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (unsigned i = 0; i < THREADS; i++) {
		void *own_of;

		pthread_join(threads[i], &own_of);
		total += (unsigned long)own_of;
	}
	printf("%u turns, %lu, sum %08x\n", turn, total, sum);
	return 0;
}
