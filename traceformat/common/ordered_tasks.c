/* SPDX-License-Identifier: MIT */
#include "traceformat/common/ordered_tasks.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct run {
	const struct ordered_tasks *tasks;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t begun, taken; /* tasks */
	bool *done;          /* by task, modulo the window */
	size_t window;
	bool ended;
};

struct worker {
	struct run *run;
	unsigned number;
	pthread_t thread;
};

static void *work(void *opaque)
{
	const struct worker *worker = opaque;
	struct run *run = worker->run;

	pthread_mutex_lock(&run->lock);
	while (!run->ended && run->begun < run->tasks->n) {
		size_t i = run->begun;

		if (i >= run->taken + run->window) {
			pthread_cond_wait(&run->changed, &run->lock);
			continue;
		}
		run->begun++;
		pthread_mutex_unlock(&run->lock);
		run->tasks->work(run->tasks->opaque, worker->number, i);
		pthread_mutex_lock(&run->lock);
		run->done[i % run->window] = true;
		pthread_cond_broadcast(&run->changed);
	}
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

/* Takes all results while the workers go on. */
static int take_all(struct run *run)
{
	int status = 0;

	for (size_t i = 0; i < run->tasks->n && !status; i++) {
		bool *done = &run->done[i % run->window];

		pthread_mutex_lock(&run->lock);
		while (!*done)
			pthread_cond_wait(&run->changed, &run->lock);
		pthread_mutex_unlock(&run->lock);
		status = run->tasks->take(run->tasks->opaque, i);
		pthread_mutex_lock(&run->lock);
		*done = false;
		run->taken++;
		run->ended = status;
		pthread_cond_broadcast(&run->changed);
		pthread_mutex_unlock(&run->lock);
	}
	return status;
}

/* Starts workers, which get no signals but those of their own writes. Returns how many. */
static unsigned start(struct run *run, struct worker *workers)
{
	sigset_t all, before;
	unsigned n = 0;

	sigfillset(&all);
	sigdelset(&all, SIGPIPE);
	sigdelset(&all, SIGXFSZ);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; n < run->tasks->jobs && n < run->tasks->n; n++) {
		workers[n] = (struct worker){ .run = run, .number = n };
		if (pthread_create(&workers[n].thread, NULL, work, &workers[n]))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return n;
}

static int run_alone(const struct ordered_tasks *tasks)
{
	int status = 0;

	for (size_t i = 0; i < tasks->n && !status; i++) {
		tasks->work(tasks->opaque, 0, i);
		status = tasks->take(tasks->opaque, i);
	}
	return status;
}

int ordered_tasks_run(const struct ordered_tasks *tasks)
{
	struct run run = { .tasks = tasks, .window = ordered_tasks_window(tasks->jobs) };
	struct worker *workers = calloc(tasks->jobs, sizeof(*workers));
	unsigned n = 0;
	int status;

	run.done = calloc(run.window, sizeof(*run.done));
	pthread_mutex_init(&run.lock, NULL);
	pthread_cond_init(&run.changed, NULL);
	if (tasks->jobs > 1 && workers && run.done)
		n = start(&run, workers);
	status = n ? take_all(&run) : run_alone(tasks);
	for (unsigned i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_cond_destroy(&run.changed);
	pthread_mutex_destroy(&run.lock);
	free(run.done);
	free(workers);
	return status;
}
