/* SPDX-License-Identifier: MIT */
#include "analyzers/common/workers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/common/checked.h"

/* A task; busy: a thread processes the batch `done` with it. */
struct task {
	uint64_t done; /* batches */
	bool busy;
};

enum { FREED = 4 }; /* one in so many batches is freed, if none is free */

struct workers {
	void (*work)(void *opaque, unsigned task, unsigned batch);
	void *opaque;
	unsigned n_tasks, n_batches;
	bool in_stages;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t more;  /* a task may have a batch to process */
	struct task *tasks;
	uint64_t handed_out; /* batches */
	bool over;
	unsigned n_waiting, n_threads, n_named;
	pthread_t threads[];
};

/* Returns true if a task has a batch to process. */
static bool has_batch(const struct workers *w, const struct task *task)
{
	bool first = !w->in_stages || task == w->tasks;

	return !task->busy && task->done < (first ? w->handed_out : task[-1].done);
}

/*
 * Returns a task that has a batch to process, or NULL. Each thread looks at tasks of its own first,
 * because the memory of a task is in the cache of the processor that worked at the task before. The
 * caller, which has less time for tasks than the threads, looks from the other end, and leaves all
 * tasks to the threads if there is a thread for each.
 */
static struct task *find_task(const struct workers *w, unsigned thread)
{
	if (thread == w->n_threads && w->n_threads >= w->n_tasks)
		return NULL;
	for (unsigned i = 0; i < w->n_tasks; i++) {
		unsigned first = thread * w->n_tasks / (w->n_threads + 1);
		unsigned n = thread == w->n_threads ? w->n_tasks - 1 - i : (first + i) % w->n_tasks;
		struct task *task = &w->tasks[w->in_stages ? w->n_tasks - 1 - n : n];

		if (has_batch(w, task))
			return task;
	}
	return NULL;
}

/* Processes a batch. The lock is held, but not while the task works. */
static void process(struct workers *w, struct task *task)
{
	task->busy = true;
	pthread_mutex_unlock(&w->lock);
	w->work(w->opaque, (unsigned)(task - w->tasks), (unsigned)(task->done % w->n_batches));
	pthread_mutex_lock(&w->lock);
	task->done++;
	task->busy = false;
	if (w->n_waiting)
		pthread_cond_broadcast(&w->more);
}

/* Processes a batch, or waits until there may be one. The lock is held. */
static void process_or_wait(struct workers *w, unsigned thread)
{
	struct task *task = find_task(w, thread);

	if (task) {
		process(w, task);
		return;
	}
	w->n_waiting++;
	pthread_cond_wait(&w->more, &w->lock);
	w->n_waiting--;
}

static void *run_thread(void *opaque)
{
	struct workers *w = opaque;
	unsigned thread;

	pthread_mutex_lock(&w->lock);
	thread = w->n_named++;
	while (!w->over)
		process_or_wait(w, thread);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct workers *workers_new(unsigned n, unsigned n_tasks, unsigned n_batches,
			    void (*work)(void *opaque, unsigned task, unsigned batch), void *opaque)
{
	struct workers *w = checked(calloc(1, sizeof(*w) + n * sizeof(*w->threads)));

	w->work = work;
	w->opaque = opaque;
	w->n_tasks = n_tasks;
	w->n_batches = n_batches;
	w->tasks = checked_array(n_tasks, sizeof(*w->tasks));
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	pthread_mutex_lock(&w->lock);
	while (w->n_threads < n && !pthread_create(&w->threads[w->n_threads], NULL, run_thread, w))
		w->n_threads++;
	pthread_mutex_unlock(&w->lock);
	return w;
}

void workers_in_stages(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->in_stages = true;
	pthread_mutex_unlock(&w->lock);
}

/* Returns the number of batches that all tasks have processed. */
static uint64_t done_by_all(const struct workers *w)
{
	uint64_t done = UINT64_MAX;

	for (unsigned i = 0; i < w->n_tasks; i++)
		done = w->tasks[i].done < done ? w->tasks[i].done : done;
	return done;
}

/* Processes, until all tasks have processed so many batches. The lock is held. */
static void process_until(struct workers *w, uint64_t batches)
{
	while (done_by_all(w) < batches)
		process_or_wait(w, w->n_threads);
}

/*
 * Processes until all tasks have processed so many batches, or the caller can do nothing for it.
 * The lock is held.
 */
static void process_up_to(struct workers *w, uint64_t batches)
{
	struct task *task;

	while (done_by_all(w) < batches && (task = find_task(w, w->n_threads)))
		process(w, task);
}

/*
 * If no batch can be filled, the caller processes until several can be. If it processed and filled
 * by turns, caller and threads would wait for each other at each batch.
 */
unsigned workers_batch(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	uint64_t next = w->handed_out, least = next < w->n_batches ? 0 : next + 1 - w->n_batches;

	if (done_by_all(w) < least)
		process_up_to(w, least + w->n_batches / FREED);
	process_until(w, least);
	pthread_mutex_unlock(&w->lock);
	return (unsigned)(next % w->n_batches);
}

void workers_hand_out(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->handed_out++;
	if (w->n_waiting)
		pthread_cond_broadcast(&w->more);
	pthread_mutex_unlock(&w->lock);
}

void workers_finish(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	process_until(w, w->handed_out);
	pthread_mutex_unlock(&w->lock);
}

void workers_free(struct workers *w)
{
	if (!w)
		return;
	workers_finish(w);
	pthread_mutex_lock(&w->lock);
	w->over = true;
	pthread_cond_broadcast(&w->more);
	pthread_mutex_unlock(&w->lock);
	while (w->n_threads)
		pthread_join(w->threads[--w->n_threads], NULL);
	pthread_cond_destroy(&w->more);
	pthread_mutex_destroy(&w->lock);
	free(w->tasks);
	free(w);
}
