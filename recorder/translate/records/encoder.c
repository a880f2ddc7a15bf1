/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/schedule.h"
#include "recorder/translate/records/encoder.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "recorder/core/output.h"
#include "recorder/translate/records/records.h"

struct item {
	struct item *next;
	struct task *task;
	uint8_t *from;
	const uint8_t *to;
	struct clock_span span;
};

enum { MAX_THREADS = 16 };

struct encoder {
	struct session *session;
	pthread_t threads[MAX_THREADS];
	unsigned n_threads, n_writing, most; /* threads that exist, that write, and at most */
	pthread_mutex_t lock;
	/* `more` is signaled to the threads when there are more items, `fewer` to tasks when there
	 * are fewer. */
	pthread_cond_t more, fewer;
	struct item *first, **end; /* items on the way, with those that are being written */
	bool failed, ending;
};

/* Returns the CPU time of the calling thread. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Returns the first item of a task that has no item being written, or NULL. */
static struct item *next_item(const struct encoder *e)
{
	struct item *item = e->first;

	while (item && thread_of(item->task)->writing)
		item = item->next;
	return item;
}

/* Unlinks and frees an item whose records have been written. */
static void drop(struct encoder *e, struct item *item)
{
	struct item **place = &e->first;

	while (*place != item)
		place = &(*place)->next;
	*place = item->next;
	if (!item->next)
		e->end = place;
	thread_of(item->task)->queued--;
	free(item);
	pthread_cond_broadcast(&e->fewer);
}

/* Writes an item's records. The caller holds the lock, which is released while writing. */
static void write_item(struct encoder *e, struct item *item)
{
	bool failed = e->failed;

	thread_of(item->task)->writing = true;
	thread_of(item->task)->span = item->span;
	e->n_writing++;
	pthread_mutex_unlock(&e->lock);
	failed = failed || records_write(item->task, item->from, item->to) < 0;
	pthread_mutex_lock(&e->lock);
	thread_of(item->task)->writing = false;
	e->n_writing--;
	e->failed |= failed;
	drop(e, item);
}

static void *run(void *opaque)
{
	struct encoder *e = opaque;

	sched_setaffinity(0, sizeof(cpu_set_t), schedule_cpus(e->session));
	pthread_mutex_lock(&e->lock);
	while (e->first || !e->ending) {
		struct item *item = next_item(e);

		if (item)
			write_item(e, item);
		else
			pthread_cond_wait(&e->more, &e->lock);
	}
	e->session->stats.encoding += cpu_seconds();
	pthread_cond_broadcast(&e->more);
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

/* Starts one more thread. Returns false if that fails. */
static bool start(struct encoder *e)
{
	sigset_t all, before;
	int status;

	/* The recorder's signals go to the thread that waits for the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&e->threads[e->n_threads], NULL, run, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	e->n_threads += status == 0;
	return status == 0;
}

/* Returns 1 with serial threads, else at least 2, so that tests always run several. */
static unsigned most_threads(const struct session *s)
{
	long cpus = CPU_COUNT(schedule_cpus(s));

	return s->schedule.serial   ? 1
	       : cpus < 2           ? 2
	       : cpus < MAX_THREADS ? (unsigned)cpus
				    : MAX_THREADS;
}

struct encoder *encoder_new(struct session *s)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->session = s;
	e->most = most_threads(s);
	e->end = &e->first;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->more, NULL);
	pthread_cond_init(&e->fewer, NULL);
	if (start(e))
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
	pthread_cond_broadcast(&e->more);
	pthread_mutex_unlock(&e->lock);
	for (unsigned i = 0; i < e->n_threads; i++)
		pthread_join(e->threads[i], NULL);
	free(e);
}

/*
 * Wakes or starts a thread for a new item of the task. If the task has an item being written, the
 * same thread takes the new one next: with more threads than tasks, the threads would take turns
 * and miss each other's caches.
 */
static void wake(struct encoder *e, const struct task *task)
{
	if (thread_of(task)->writing)
		return;
	if (e->n_writing == e->n_threads && e->n_threads < e->most)
		start(e);
	else
		pthread_cond_signal(&e->more);
}

/*
 * Returns true if more than `most` items of the task, or any items if it is NULL, are on the way.
 */
static bool are_more(const struct encoder *e, const struct task *task, unsigned most)
{
	return task ? thread_of(task)->queued > most : e->first != NULL;
}

/* Waits until there are at most `most` items. Releases the lock. Returns 0, or -1 if writing has
 * failed. */
static int wait_for(struct encoder *e, struct task *task, unsigned most)
{
	double began = are_more(e, task, most) ? session_now() : 0;
	int status;

	while (are_more(e, task, most))
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
	*item = (struct item){ .task = task,
			       .from = from,
			       .to = to,
			       .span = { thread_of(task)->since, clock_moment() } };
	pthread_mutex_lock(&e->lock);
	*e->end = item;
	e->end = &item->next;
	thread_of(task)->queued++;
	wake(e, task);
	return wait_for(e, task, ahead);
}

int encoder_wait(struct encoder *e, struct task *task)
{
	if (!e)
		return 0;
	pthread_mutex_lock(&e->lock);
	return wait_for(e, task, 0);
}
