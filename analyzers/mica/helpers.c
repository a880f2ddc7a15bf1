/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/helpers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

struct mica_helpers {
	void (*work)(void *opaque, unsigned task);
	void *opaque;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t begun, done;
	unsigned n_tasks, n_left; /* all tasks; those that nobody does yet */
	bool *taken;              /* by task */
	unsigned busy;            /* tasks that are being done */
	bool over;
	unsigned n_threads, n_named;
	pthread_t threads[];
};

/*
 * Takes a task for one of the threads and the caller. Each has tasks of its own, as long as there
 * are some, because the memory of a task is in the cache of the processor that did the task before.
 */
static unsigned take_task(struct mica_helpers *h, unsigned thread)
{
	unsigned task = h->n_tasks * thread / (h->n_threads + 1);

	while (h->taken[task])
		task = (task + 1) % h->n_tasks;
	h->taken[task] = true;
	h->n_left--;
	return task;
}

/* Does a task. The lock is held, but not during the task. */
static void do_task(struct mica_helpers *h, unsigned thread)
{
	unsigned task = take_task(h, thread);

	h->busy++;
	pthread_mutex_unlock(&h->lock);
	h->work(h->opaque, task);
	pthread_mutex_lock(&h->lock);
	h->busy--;
	if (!h->busy && !h->n_left)
		pthread_cond_signal(&h->done);
}

static void *help(void *opaque)
{
	struct mica_helpers *h = opaque;

	unsigned thread;

	pthread_mutex_lock(&h->lock);
	thread = h->n_named++;
	while (!h->over) {
		if (h->n_left)
			do_task(h, thread);
		else
			pthread_cond_wait(&h->begun, &h->lock);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

struct mica_helpers *mica_helpers_new(unsigned n, unsigned n_tasks,
				      void (*work)(void *opaque, unsigned task), void *opaque)
{
	struct mica_helpers *h = checked(calloc(1, sizeof(*h) + n * sizeof(*h->threads)));

	h->n_tasks = n_tasks;
	h->taken = checked_array(n_tasks, sizeof(*h->taken));
	h->work = work;
	h->opaque = opaque;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->begun, NULL);
	pthread_cond_init(&h->done, NULL);
	pthread_mutex_lock(&h->lock);
	while (h->n_threads < n && !pthread_create(&h->threads[h->n_threads], NULL, help, h))
		h->n_threads++;
	pthread_mutex_unlock(&h->lock);
	return h;
}

void mica_helpers_finish(struct mica_helpers *h)
{
	pthread_mutex_lock(&h->lock);
	while (h->n_left)
		do_task(h, h->n_threads);
	while (h->busy)
		pthread_cond_wait(&h->done, &h->lock);
	pthread_mutex_unlock(&h->lock);
}

void mica_helpers_begin(struct mica_helpers *h)
{
	mica_helpers_finish(h);
	pthread_mutex_lock(&h->lock);
	memset(h->taken, 0, h->n_tasks * sizeof(*h->taken));
	h->n_left = h->n_tasks;
	pthread_cond_broadcast(&h->begun);
	pthread_mutex_unlock(&h->lock);
}

void mica_helpers_free(struct mica_helpers *h)
{
	if (!h)
		return;
	mica_helpers_finish(h);
	pthread_mutex_lock(&h->lock);
	h->over = true;
	pthread_cond_broadcast(&h->begun);
	pthread_mutex_unlock(&h->lock);
	while (h->n_threads)
		pthread_join(h->threads[--h->n_threads], NULL);
	pthread_cond_destroy(&h->begun);
	pthread_cond_destroy(&h->done);
	pthread_mutex_destroy(&h->lock);
	free(h->taken);
	free(h);
}
