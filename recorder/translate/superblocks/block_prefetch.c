/* SPDX-License-Identifier: MIT */
#include "recorder/translate/superblocks/block_prefetch.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "recorder/program/block_at.h"
#include "recorder/ptrace/schedule.h"

struct block_prefetch {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t begun, found; /* for the thread; for the caller */
	/* The request; NULL: none, and the thread rests. Under the lock. */
	struct task *task;
	const uint64_t *pcs;
	unsigned n;
	bool failed, ending;
	atomic_bool stop;    /* the rest of the request is not needed */
	atomic_uint done;    /* blocks that have been found */
	atomic_uint awaited; /* the caller sleeps until `done` is that; 0: it does not sleep */
	const cpu_set_t *cpus;
	struct code_block *blocks[PREFETCH_BLOCKS];
};

/* Wakes the caller if it waits for what has been found. */
static void report(struct block_prefetch *p, unsigned done)
{
	unsigned awaited;

	atomic_store(&p->done, done);
	awaited = atomic_load(&p->awaited);
	if (!awaited || done < awaited)
		return;
	pthread_mutex_lock(&p->lock);
	pthread_cond_signal(&p->found);
	pthread_mutex_unlock(&p->lock);
}

/* Finds the blocks of a request. Returns 0 or -1. */
static int find_all(struct block_prefetch *p)
{
	for (unsigned i = 0; i < p->n && !atomic_load(&p->stop); i++) {
		p->blocks[i] = NULL;
		if (p->pcs[i] && block_at_kept(p->task, p->pcs[i], &p->blocks[i]) < 0)
			return -1;
		report(p, i + 1);
	}
	return 0;
}

static void *run(void *opaque)
{
	struct block_prefetch *p = opaque;

	sched_setaffinity(0, sizeof(cpu_set_t), p->cpus);
	pthread_mutex_lock(&p->lock);
	while (!p->ending) {
		int status;

		if (!p->task) {
			pthread_cond_wait(&p->begun, &p->lock);
			continue;
		}
		pthread_mutex_unlock(&p->lock);
		status = find_all(p);
		pthread_mutex_lock(&p->lock);
		p->failed |= status < 0;
		p->task = NULL;
		pthread_cond_signal(&p->found);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Starts the thread. Returns NULL if that fails. */
static struct block_prefetch *start(const struct session *s)
{
	struct block_prefetch *p = calloc(1, sizeof(*p));
	sigset_t all, before;
	int status;

	if (!p)
		return NULL;
	p->cpus = schedule_cpus(s);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->begun, NULL);
	pthread_cond_init(&p->found, NULL);
	/* The recorder's signals go to the thread that waits for the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&p->thread, NULL, run, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (status == 0)
		return p;
	free(p);
	return NULL;
}

bool block_prefetch_begin(struct task *t, const uint64_t *pcs, unsigned n)
{
	struct session *s = t->session;
	struct block_prefetch *p = s->translate.prefetch;

	if (!p && CPU_COUNT(schedule_cpus(s)) > 1)
		p = s->translate.prefetch = start(s);
	if (!p || p->failed)
		return false;
	pthread_mutex_lock(&p->lock);
	p->task = t;
	p->pcs = pcs;
	p->n = n;
	atomic_store(&p->stop, false);
	atomic_store(&p->done, 0);
	pthread_cond_signal(&p->begun);
	pthread_mutex_unlock(&p->lock);
	return true;
}

/* Waits a while for what takes less time than going to sleep. */
static bool comes_soon(struct block_prefetch *p, unsigned wanted)
{
	enum { LOOKS = 1000 };

	for (unsigned i = 0; i < LOOKS; i++) {
		if (atomic_load(&p->done) >= wanted)
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

/* Sleeps until some more blocks than the wanted ones have been found, or the thread has ended its
 * work. */
static void sleep_until(struct block_prefetch *p, unsigned wanted)
{
	enum { MORE = 64 };
	unsigned awaited = p->n - wanted < MORE ? p->n : wanted + MORE;

	pthread_mutex_lock(&p->lock);
	atomic_store(&p->awaited, awaited);
	while (p->task && atomic_load(&p->done) < awaited)
		pthread_cond_wait(&p->found, &p->lock);
	atomic_store(&p->awaited, 0);
	pthread_mutex_unlock(&p->lock);
}

struct code_block *block_prefetch_take(struct session *s, unsigned i)
{
	struct block_prefetch *p = s->translate.prefetch;

	if (!comes_soon(p, i + 1))
		sleep_until(p, i + 1);
	return atomic_load(&p->done) > i ? p->blocks[i] : NULL;
}

int block_prefetch_end(struct session *s)
{
	struct block_prefetch *p = s->translate.prefetch;
	bool failed;

	atomic_store(&p->stop, true);
	pthread_mutex_lock(&p->lock);
	while (p->task)
		pthread_cond_wait(&p->found, &p->lock);
	failed = p->failed;
	pthread_mutex_unlock(&p->lock);
	return failed ? -1 : 0;
}

void block_prefetch_free(struct block_prefetch *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_cond_signal(&p->begun);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->begun);
	pthread_cond_destroy(&p->found);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
