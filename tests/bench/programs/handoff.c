/* SPDX-License-Identifier: MIT */
/*
 * handoff ROUNDS: two threads work in turns, and each waits for the other in a call that blocks.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORK = 1 << 14 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned turn, rounds, sum;

static void *work(void *argument)
{
	unsigned own = (unsigned)(unsigned long)argument;

	for (unsigned i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		while (turn != own)
			pthread_cond_wait(&changed, &lock);
		for (unsigned k = 0; k < WORK; k++)
			sum = sum * 1664525 + k;
		turn = !own;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	pthread_create(&other, NULL, work, (void *)1UL);
	work(NULL);
	pthread_join(other, NULL);
	printf("%u\n", sum);
	return 0;
}
