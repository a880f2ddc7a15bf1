/* SPDX-License-Identifier: MIT */
/* Four threads take tasks from their own lists, and steal from others when these are empty. */
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, TASKS = 200, WORK = 3000 };

static atomic_int next[THREADS];
static atomic_ulong done;

static void work(void)
{
	for (unsigned long i = 0; i < WORK; i++)
		__asm__ volatile("" : "+r"(i));
	atomic_fetch_add(&done, 1);
}

/* Takes a task of the list, if one is left. */
static int take(int list)
{
	return atomic_load(&next[list]) < TASKS * (list + 1) / THREADS &&
	       atomic_fetch_add(&next[list], 1) < TASKS * (list + 1) / THREADS;
}

static void *run(void *list)
{
	int own = (int)(long)list;

	for (int tried = 0; tried < THREADS;) {
		if (take((own + tried) % THREADS)) {
			work();
			tried = 0;
		} else {
			tried++;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return done != TASKS * (1 + 2 + 3 + 4) / THREADS;
}
