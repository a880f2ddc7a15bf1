/* SPDX-License-Identifier: MIT */
#include "recorder/translate/encoder.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "recorder/output.h"
#include "recorder/translate/records.h"

struct item {
	struct item *next;
	struct task *task;
	uint8_t *from;
	const uint8_t *to;
};

struct encoder {
	struct session *session;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, fewer;	/* items; for the encoder, for the others */
	struct item *first, **end;	/* the first one is being written */
	unsigned count;
	bool failed, ending;
};

/* Of this thread. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The first item has been written. With the lock held. */
static void drop_first(struct encoder *e)
{
	struct item *item = e->first;

	((struct thread *)item->task->translate)->queued--;
	e->first = item->next;
	if (!e->first)
		e->end = &e->first;
	e->count--;
	free(item);
	pthread_cond_signal(&e->fewer);
}

static void *run(void *opaque)
{
	struct encoder *e = opaque;
	bool failed = false;

	sched_setaffinity(0, sizeof(e->session->affinity), &e->session->affinity);
	pthread_mutex_lock(&e->lock);
	for (;;) {
		struct item *item;

		while (!e->count && !e->ending)
			pthread_cond_wait(&e->more, &e->lock);
		item = e->first;
		if (!item)
			break;
		pthread_mutex_unlock(&e->lock);
		failed = failed || records_write(item->task, item->from, item->to) < 0;
		pthread_mutex_lock(&e->lock);
		e->failed = failed;
		drop_first(e);
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
	e->end = &e->first;
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

/* Until at most so many of the task's (NULL: of all) are on the way. Releases the lock. */
static int wait_for(struct encoder *e, struct task *task, unsigned most)
{
	const unsigned *count = task ? &thread_of(task)->queued : &e->count;
	double began = *count > most ? session_now() : 0;
	int status;

	while (*count > most)
		pthread_cond_wait(&e->fewer, &e->lock);
	if (began > 0)
		e->session->stats.waiting += session_now() - began;
	status = e->failed ? -1 : 0;
	pthread_mutex_unlock(&e->lock);
	return status;
}

int encoder_put(struct encoder *e, struct task *task, uint8_t *from, const uint8_t *to,
		unsigned ahead)
{
	struct item *item = malloc(sizeof(*item));

	if (!item)
		return output_memory(e->session->output);
	*item = (struct item){ .task = task, .from = from, .to = to };
	pthread_mutex_lock(&e->lock);
	*e->end = item;
	e->end = &item->next;
	e->count++;
	thread_of(task)->queued++;
	pthread_cond_signal(&e->more);
	return wait_for(e, task, ahead);
}

int encoder_wait(struct encoder *e, struct task *task)
{
	if (!e)
		return 0;
	pthread_mutex_lock(&e->lock);
	return wait_for(e, task, 0);
}
