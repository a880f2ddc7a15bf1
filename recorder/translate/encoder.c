/* SPDX-License-Identifier: MIT */
#include "recorder/translate/encoder.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "recorder/translate/records.h"

struct item {
	struct task *task;
	uint8_t *from;
	const uint8_t *to;
};

struct encoder {
	struct session *session;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, fewer;	/* items; for the encoder, for the others */
	struct item items[ENCODER_BUFFERS];
	unsigned first, count;		/* the first one is being written */
	bool failed, ending;
};

/* Of this thread. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *run(void *opaque)
{
	struct encoder *e = opaque;
	bool failed = false;

	sched_setaffinity(0, sizeof(e->session->affinity), &e->session->affinity);
	pthread_mutex_lock(&e->lock);
	for (;;) {
		struct item item;

		while (!e->count && !e->ending)
			pthread_cond_wait(&e->more, &e->lock);
		if (!e->count)
			break;
		item = e->items[e->first];
		pthread_mutex_unlock(&e->lock);
		failed = failed || records_write(item.task, item.from, item.to) < 0;
		pthread_mutex_lock(&e->lock);
		e->failed = failed;
		e->first = (e->first + 1) % ENCODER_BUFFERS;
		e->count--;
		pthread_cond_signal(&e->fewer);
	}
	pthread_mutex_unlock(&e->lock);
	e->session->stats.encoding += cpu_seconds();
	return NULL;
}

struct encoder *encoder_new(struct session *s)
{
	struct encoder *e = calloc(1, sizeof(*e));
	sigset_t all, before;
	int status;

	if (!e)
		return NULL;
	e->session = s;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->more, NULL);
	pthread_cond_init(&e->fewer, NULL);
	/* The recorder's signals are for the thread that waits for the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&e->thread, NULL, run, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (status == 0)
		return e;
	free(e);
	return NULL;
}

void encoder_free(struct encoder *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->ending = true;
	pthread_cond_signal(&e->more);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	free(e);
}

/* With the lock held. */
static void wait_for(struct encoder *e, unsigned most)
{
	double began;

	if (e->count <= most)
		return;
	began = session_now();
	while (e->count > most)
		pthread_cond_wait(&e->fewer, &e->lock);
	e->session->stats.waiting += session_now() - began;
}

int encoder_put(struct encoder *e, struct task *task, uint8_t *from, const uint8_t *to)
{
	int status;

	pthread_mutex_lock(&e->lock);
	e->items[(e->first + e->count++) % ENCODER_BUFFERS] = (struct item){ task, from, to };
	pthread_cond_signal(&e->more);
	wait_for(e, ENCODER_BUFFERS - 1);
	status = e->failed ? -1 : 0;
	pthread_mutex_unlock(&e->lock);
	return status;
}

int encoder_wait(struct encoder *e)
{
	int status;

	if (!e)
		return 0;
	pthread_mutex_lock(&e->lock);
	wait_for(e, 0);
	status = e->failed ? -1 : 0;
	pthread_mutex_unlock(&e->lock);
	return status;
}
