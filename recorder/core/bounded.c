/* SPDX-License-Identifier: MIT */
#include "recorder/core/bounded.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SECONDS = 1 };

struct job {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	void (*work)(void *state);
	bool is_over,
		is_left; /* set by the thread and by its caller; the later one frees the job */
	_Alignas(max_align_t) unsigned char state[];
};

static void free_job(struct job *j)
{
	pthread_cond_destroy(&j->ended);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

static void *run(void *opaque)
{
	struct job *j = opaque;
	bool is_left;

	j->work(j->state);
	pthread_mutex_lock(&j->lock);
	j->is_over = true;
	is_left = j->is_left;
	pthread_cond_signal(&j->ended);
	pthread_mutex_unlock(&j->lock);
	if (is_left)
		free_job(j);
	return NULL;
}

static struct job *new_job(void (*work)(void *state), const void *state, size_t size)
{
	struct job *j = calloc(1, sizeof(*j) + size);
	pthread_condattr_t clock;

	if (!j)
		return NULL;
	j->work = work;
	memcpy(j->state, state, size);
	pthread_mutex_init(&j->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&j->ended, &clock);
	pthread_condattr_destroy(&clock);
	return j;
}

/* Starts the thread with all signals blocked: they are for the thread that waits for programs. */
static bool start(struct job *j)
{
	sigset_t all, before;
	pthread_t thread;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&thread, NULL, run, j) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		pthread_detach(thread);
	return started;
}

bool bounded_run(void (*work)(void *state), void *state, size_t size)
{
	struct job *j = new_job(work, state, size);
	struct timespec until;
	bool is_over;

	if (!j)
		return false;
	if (!start(j)) {
		free_job(j);
		return false;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += MOST_SECONDS;
	pthread_mutex_lock(&j->lock);
	while (!j->is_over && pthread_cond_timedwait(&j->ended, &j->lock, &until) == 0)
		;
	is_over = j->is_over;
	j->is_left = true;
	if (is_over)
		memcpy(state, j->state, size);
	pthread_mutex_unlock(&j->lock);
	if (is_over)
		free_job(j);
	return is_over;
}
