/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * contend THREADS ROUNDS: threads that contend for locks, wait for each other at barriers, begin and
 * end others, are canceled, and have variables of their own. The output is the same each time.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 256, SHORT = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t tickets;
static unsigned long sum, destroyed, cleaned;
static atomic_ulong spun, begun;
static atomic_flag spin = ATOMIC_FLAG_INIT;
static unsigned rounds;
static __thread unsigned long own;

static void destroy(void *value)
{
	(void)value;
	__atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED);
}

static void *brief(void *argument)
{
	own += (unsigned long)argument;
	atomic_fetch_add(&begun, own);
	return NULL;
}

static void work(unsigned long number)
{
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned k = 0; k < 500; k++)
			own = own * 31 + number + k;
		pthread_mutex_lock(&lock);
		sum += number;
		pthread_mutex_unlock(&lock);
		pthread_rwlock_rdlock(&shelf);
		pthread_rwlock_unlock(&shelf);
		sem_wait(&tickets);
		while (atomic_flag_test_and_set(&spin))
			;
		spun++;
		atomic_flag_clear(&spin);
		sem_post(&tickets);
	}
}

static void *run(void *argument)
{
	unsigned long number = (unsigned long)argument;
	pthread_t others[SHORT];

	pthread_setspecific(key, &number);
	work(number);
	pthread_barrier_wait(&barrier);
	for (unsigned long i = 0; i < SHORT; i++)
		pthread_create(&others[i], NULL, brief, (void *)(i + 1));
	for (unsigned i = 0; i < SHORT; i++)
		pthread_join(others[i], NULL);
	work(1);
	return (void *)own;
}

static void clean(void *argument)
{
	__atomic_add_fetch((unsigned long *)argument, 1, __ATOMIC_RELAXED);
}

static void *wait_for_end(void *argument)
{
	pthread_cleanup_push(clean, &cleaned);
	if (argument)
		for (;;)
			pause();
	for (;;)
		pthread_testcancel();
	pthread_cleanup_pop(0);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	unsigned long owns = 0;
	pthread_t threads[MOST], waiting[2];
	void *result;

	rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
	pthread_barrier_init(&barrier, NULL, n);
	pthread_key_create(&key, destroy);
	sem_init(&tickets, 0, 2);
	for (unsigned long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	for (unsigned long i = 0; i < 2; i++)
		pthread_create(&waiting[i], NULL, wait_for_end, (void *)i);
	for (unsigned i = 0; i < n; i++) {
		pthread_join(threads[i], &result);
		owns += (unsigned long)result;
	}
	for (unsigned i = 0; i < 2; i++) {
		pthread_cancel(waiting[i]);
		pthread_join(waiting[i], &result);
		printf("%d ", result == PTHREAD_CANCELED);
	}
	printf("%lu %lu %lu %lu %lu %lx\n", sum, spun, begun, destroyed, cleaned, owns);
	return 0;
}
