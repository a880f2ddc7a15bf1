/* SPDX-License-Identifier: MIT */
#include "traceformat/reader/vectors_ahead.h"

#include <pthread.h>
#include <signal.h>

enum {
	MOST_THREADS = 16,
	SLOTS_EACH = 2,          /* of a thread */
	USUAL_PAYLOAD = 4 << 20, /* most bytes of a section whose counts are decoded ahead */
};

struct slot {
	struct section_ahead at;
	bool done;
};

struct vectors_ahead {
	struct tf_reader *reader;
	const struct vector_exits *exits;
	bool decode;
	ARRAY(const struct section *) sections; /* of vectors */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	size_t begun, released; /* sections that threads have begun, and that are no longer used */
	bool in_use;            /* the section after the released ones */
	bool ended;             /* the threads should end */
	struct slot *slots;     /* by number of the section, modulo n_slots */
	size_t n_slots;

	unsigned n_threads;
	pthread_t threads[MOST_THREADS];
};

/* ---- threads ----------------------------------------------------------------------------- */

/* Decodes records until one is damaged, which the caller of vectors_ahead_next then finds, too. */
static void decode_counts(const struct vectors_ahead *a, struct section_ahead *s)
{
	struct section_records records = section_records_of(a->reader, s->section, &s->payload);

	while (records.left) {
		struct span record = section_records_take(&records);
		struct tf_vector vector;
		size_t before = s->counts.count;

		if (records.in.bad || !vector_head_take(&record, &vector) ||
		    !RESERVE(s->counts, before + vector.n_counts) ||
		    vector_counts_take(a->exits, record, &vector, s->counts.at + before))
			return;
		s->counts.count = before + vector.n_counts;
		s->n_decoded++;
	}
}

static void read_section(const struct vectors_ahead *a, const struct section *section,
			 struct section_ahead *s)
{
	s->section = section;
	s->counts.count = s->n_decoded = 0;
	s->status = reader_records(a->reader, section, &s->payload, &s->error);
	if (s->status == 0 && a->decode && s->payload.size <= USUAL_PAYLOAD)
		decode_counts(a, s);
}

static void *read_sections(void *opaque)
{
	struct vectors_ahead *a = opaque;

	pthread_mutex_lock(&a->lock);
	while (!a->ended && a->begun < a->sections.count) {
		size_t i = a->begun;
		struct slot *slot = &a->slots[i % a->n_slots];

		if (i >= a->released + a->n_slots) {
			pthread_cond_wait(&a->changed, &a->lock);
			continue;
		}
		a->begun++;
		pthread_mutex_unlock(&a->lock);
		read_section(a, a->sections.at[i], &slot->at);
		pthread_mutex_lock(&a->lock);
		slot->done = true;
		pthread_cond_broadcast(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* ---- the caller's side ------------------------------------------------------------------- */

static bool list_sections(struct vectors_ahead *a)
{
	const struct tf_reader *r = a->reader;

	for (size_t i = 0; i < r->sections.count; i++) {
		const struct section *s = &r->sections.at[i];

		if (!section_records_are_in(s, SECTION_VECTORS))
			continue;
		if (!RESERVE(a->sections, a->sections.count + 1))
			return false;
		a->sections.at[a->sections.count++] = s;
	}
	return true;
}

/* Starts threads, which get no signals. */
static void start(struct vectors_ahead *a, unsigned n)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (a->n_threads < n && a->n_threads < a->sections.count &&
	       !pthread_create(&a->threads[a->n_threads], NULL, read_sections, a))
		a->n_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct vectors_ahead *vectors_ahead_open(struct tf_reader *reader, const struct vector_exits *exits,
					 unsigned n_threads, bool decode)
{
	struct vectors_ahead *a = calloc(1, sizeof(*a));
	unsigned n = n_threads < MOST_THREADS ? n_threads : MOST_THREADS;

	if (!a)
		return NULL;
	a->reader = reader;
	a->exits = exits;
	a->decode = decode;
	a->n_slots = SLOTS_EACH * (size_t)n;
	a->slots = calloc(a->n_slots, sizeof(*a->slots));
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (a->slots && list_sections(a))
		start(a, n);
	if (a->n_threads)
		return a;
	vectors_ahead_close(a);
	return NULL;
}

static void release(struct vectors_ahead *a)
{
	a->slots[a->released++ % a->n_slots].done = false;
	a->in_use = false;
	pthread_cond_broadcast(&a->changed);
}

const struct section_ahead *vectors_ahead_next(struct vectors_ahead *a)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&a->lock);
	if (a->in_use)
		release(a);
	if (a->released < a->sections.count) {
		slot = &a->slots[a->released % a->n_slots];
		while (!slot->done)
			pthread_cond_wait(&a->changed, &a->lock);
		a->in_use = true;
	}
	pthread_mutex_unlock(&a->lock);
	return slot ? &slot->at : NULL;
}

void vectors_ahead_close(struct vectors_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->ended = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	while (a->n_threads)
		pthread_join(a->threads[--a->n_threads], NULL);
	for (size_t i = 0; a->slots && i < a->n_slots; i++) {
		buffer_free(&a->slots[i].at.payload);
		free(a->slots[i].at.counts.at);
	}
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a->slots);
	free(a->sections.at);
	free(a);
}
