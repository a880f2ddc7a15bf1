/* SPDX-License-Identifier: MIT */
#include "analyzers/common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { MAX_JOBS = 64 };

struct work {
	void (*task)(void *opaque, size_t i);
	void *opaque;
	size_t n;
	atomic_size_t next;
};

static void *do_tasks(void *argument)
{
	struct work *work = argument;
	size_t i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->n)
		work->task(work->opaque, i);
	return NULL;
}

void parallel_for(unsigned jobs, size_t n, void (*task)(void *opaque, size_t i), void *opaque)
{
	struct work work = { .task = task, .opaque = opaque, .n = n };
	pthread_t threads[MAX_JOBS];
	unsigned started = 0;

	while (started + 1 < jobs && started + 1 < n && started < MAX_JOBS &&
	       pthread_create(&threads[started], NULL, do_tasks, &work) == 0)
		started++;
	do_tasks(&work);
	while (started)
		pthread_join(threads[--started], NULL);
}

unsigned parallel_cores(void)
{
	cpu_set_t cores;

	if (sched_getaffinity(0, sizeof(cores), &cores) < 0)
		return 1;
	int n = CPU_COUNT(&cores);

	return n > 0 ? (unsigned)n : 1;
}
