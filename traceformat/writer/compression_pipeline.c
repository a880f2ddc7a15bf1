/* SPDX-License-Identifier: MIT */
#include "traceformat/writer/compression_pipeline.h"

#include <signal.h>
#include <time.h>
#include <zstd.h>

#include "traceformat/common/error.h"
#include "traceformat/file/section.h"

enum { QUEUED_A_THREAD = 2 };

static const struct {
	uint8_t column, coding;
} kinds[CHUNK_COLUMNS] = {
	[CHUNK_HEAD] = { COLUMN_HEAD, CODING_PLAIN },
	[CHUNK_RUNS] = { COLUMN_FLOW_RUNS, CODING_PREDICTED },
	[CHUNK_RESIDUALS] = { COLUMN_FLOW_MISSES, CODING_PREDICTED },
	[CHUNK_PARTIALS] = { COLUMN_PARTIALS, CODING_PLAIN },
	[CHUNK_HITS] = { COLUMN_SLOT_HITS, CODING_PREDICTED },
	[CHUNK_SLOT_RESIDUALS] = { COLUMN_SLOT_MISSES_0, CODING_PREDICTED },
	[CHUNK_SLOT_RESIDUALS + 1] = { COLUMN_SLOT_MISSES_0 + 1, CODING_PREDICTED },
	[CHUNK_SLOT_RESIDUALS + 2] = { COLUMN_SLOT_MISSES_0 + 2, CODING_PREDICTED },
	[CHUNK_SLOT_RESIDUALS + 3] = { COLUMN_SLOT_MISSES_0 + 3, CODING_PREDICTED },
	[CHUNK_SLOT_SOURCES] = { COLUMN_SLOT_SOURCES, CODING_PREDICTED },
	[CHUNK_EVENT_COLUMN] = { COLUMN_EVENTS, CODING_PLAIN },
};

static void free_job(struct compression_job *job)
{
	for (unsigned i = 0; i < N_PENDING; i++)
		buffer_free(&job->dictionary[i].bytes);
	for (unsigned i = 0; i < CHUNK_COLUMNS; i++)
		buffer_free(&job->columns[i]);
	buffer_free(&job->payload);
	ZSTD_freeCCtx(job->compressor);
	free(job);
}

struct compression_job *compression_new_job(struct tf_writer *w)
{
	struct pipeline *p = &w->pipeline;
	struct compression_job *job = p->spare;

	if (job) {
		p->spare = job->next;
		job->has_chunk = false;
		return job;
	}
	job = calloc(1, sizeof(*job));
	if (job && !(job->compressor = ZSTD_createCCtx())) {
		free(job);
		return NULL;
	}
	return job;
}

/* ---- doing ---- */

static bool compress(struct compression_job *job, int level)
{
	struct out_column columns[CHUNK_COLUMNS];

	for (unsigned i = 0; i < CHUNK_COLUMNS; i++)
		columns[i] = (struct out_column){
			kinds[i].column,
			kinds[i].coding,
			i == CHUNK_HEAD ? 0 : level,
			&job->columns[i],
		};
	return columns_build(job->compressor, columns, CHUNK_COLUMNS, &job->payload);
}

/* Returns the CPU time of the calling thread, seconds. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int write_job(struct tf_writer *w, struct compression_job *job, struct tf_error *error)
{
	int status = writer_dictionary(w, job->dictionary, error);
	struct writer_thread *t;

	if (status < 0 || !job->has_chunk)
		return status;
	status = writer_section(w, &job->section, job->payload.data, job->payload.size, error);
	if (status < 0)
		return status;
	t = fixed_vector_at(&w->threads, job->section.thread);
	totals_add(&t->totals, &job->totals);
	return 0;
}

/*
 * Compresses a job, and writes it in its turn. Call with the lock held; the lock is released during
 * long work.
 */
static void do_job(struct tf_writer *w, struct compression_job *job)
{
	struct pipeline *p = &w->pipeline;
	struct tf_error error;
	bool enough = true;

	if (job->has_chunk) {
		double began = cpu_seconds();

		pthread_mutex_unlock(&w->lock);
		enough = compress(job, w->level);
		pthread_mutex_lock(&w->lock);
		p->seconds += p->n_threads ? cpu_seconds() - began : 0;
	}
	while (p->turn != job->ticket)
		pthread_cond_wait(&p->turned, &w->lock);
	if (!enough)
		fail_memory(&w->failure);
	else if (!w->failure.status && write_job(w, job, &error) < 0)
		w->failure = error;
	p->turn++;
	job->next = p->spare;
	p->spare = job;
	pthread_cond_broadcast(&p->turned);
}

static void *run(void *opaque)
{
	struct tf_writer *w = opaque;
	struct pipeline *p = &w->pipeline;

	pthread_mutex_lock(&w->lock);
	while (p->first || !p->ending) {
		struct compression_job *job = p->first;

		if (!job) {
			pthread_cond_wait(&p->queued, &w->lock);
			continue;
		}
		p->first = job->next;
		if (!p->first)
			p->last = &p->first;
		do_job(w, job);
		p->n_queued--;
		pthread_cond_broadcast(&p->turned);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- threads ---- */

/*
 * Starts the threads, but not before there is a chunk. Until then the caller is a process with one
 * thread, as it may have to be to start a program.
 */
static void start_threads(struct tf_writer *w)
{
	struct pipeline *p = &w->pipeline;
	sigset_t all, before;

	/* Only the caller's threads receive signals, except those of a thread's own writes. */
	sigfillset(&all);
	sigdelset(&all, SIGPIPE);
	sigdelset(&all, SIGXFSZ);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (p->n_threads < p->n_wanted &&
	       pthread_create(&p->threads[p->n_threads], NULL, run, w) == 0)
		p->n_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	p->n_wanted = p->n_threads;
}

/* ---- putting ---- */

static int result(const struct tf_writer *w, struct tf_error *error)
{
	if (w->failure.status && error)
		*error = w->failure;
	return w->failure.status;
}

int compression_put(struct tf_writer *w, struct compression_job *job, struct tf_error *error)
{
	struct pipeline *p = &w->pipeline;

	writer_take_pending(w, job->dictionary);
	job->ticket = p->tickets++;
	job->next = NULL;
	if (job->has_chunk && p->n_threads < p->n_wanted)
		start_threads(w);
	if (!p->n_threads) {
		do_job(w, job);
		return result(w, error);
	}
	*p->last = job;
	p->last = &job->next;
	p->n_queued++;
	pthread_cond_signal(&p->queued);
	while (p->n_queued > QUEUED_A_THREAD * p->n_threads)
		pthread_cond_wait(&p->turned, &w->lock);
	return result(w, error);
}

int compression_drain(struct tf_writer *w, struct tf_error *error)
{
	struct pipeline *p = &w->pipeline;

	while (p->turn != p->tickets)
		pthread_cond_wait(&p->turned, &w->lock);
	return result(w, error);
}

bool compression_begin(struct tf_writer *w, unsigned n_threads)
{
	struct pipeline *p = &w->pipeline;

	pthread_cond_init(&p->turned, NULL);
	pthread_cond_init(&p->queued, NULL);
	p->last = &p->first;
	p->n_wanted = n_threads;
	if (n_threads)
		p->threads = calloc(n_threads, sizeof(*p->threads));
	return !n_threads || p->threads;
}

void compression_end(struct tf_writer *w)
{
	struct pipeline *p = &w->pipeline;

	pthread_mutex_lock(&w->lock);
	p->ending = true;
	pthread_cond_broadcast(&p->queued);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < p->n_threads; i++)
		pthread_join(p->threads[i], NULL);
	while (p->spare) {
		struct compression_job *job = p->spare;

		p->spare = job->next;
		free_job(job);
	}
	free(p->threads);
	pthread_cond_destroy(&p->turned);
	pthread_cond_destroy(&p->queued);
}
