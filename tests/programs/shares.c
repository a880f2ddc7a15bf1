/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * shares ROUNDS: two threads take turns. In each turn a thread writes to a counter of its own in a line
 * of both, to a counter of both, to a line of its own, and to its part of a heap object; the first one
 * writes what the second one reads. Nothing else is in these lines.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdalign.h>
#include <stdlib.h>

static alignas(64) volatile long neighbours[8];
static alignas(64) volatile long common[8];
static alignas(64) volatile struct {
	alignas(64) long count;
} apart[2];
static alignas(64) volatile long published[8];
static volatile int *halves;
static sem_t turns[2];
static long rounds;

static __attribute__((noinline)) void take_turn(long me)
{
	neighbours[me]++;
	common[0]++;
	apart[me].count++;
	halves[me] = 1;
	if (me)
		(void)published[0];
	else
		published[0] = 1;
}

static void *run(void *argument)
{
	long me = (long)argument;

	for (long i = 0; i < rounds; i++) {
		sem_wait(&turns[me]);
		take_turn(me);
		sem_post(&turns[!me]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	rounds = argc > 1 ? atol(argv[1]) : 100;
	halves = aligned_alloc(64, 64);
	sem_init(&turns[0], 0, 1);
	sem_init(&turns[1], 0, 0);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (long i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return common[0] != 2 * rounds;
}
