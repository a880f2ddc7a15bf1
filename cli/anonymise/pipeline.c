/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/pipeline.h"

#include <pthread.h>

#include "cli/common/checked.h"

enum { PART_PACKETS = 48 }; /* that may wait: some 16 MB for each thread */

struct queue {
	struct stream_part part;
	struct packet *packets, **end;
	unsigned count;
	bool done;
	int status; /* once it is done */
	struct tf_error error;
};

struct sink {
	packet_sink *put;
	void *opaque;
};

struct pipeline;

struct worker {
	struct pipeline *pipeline;
	struct queue *queue; /* of the part that it decodes */
	struct decoder decoder;
	pthread_t thread;
};

struct pipeline {
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t more, room;
	ARRAY(struct queue) queues;
	size_t next;    /* queue that no worker has begun */
	size_t current; /* queue that is handed out */
	struct packet *spare, *out;
	bool stopped;
	struct worker *workers;
	unsigned n_workers, n_started;
};

static void packet_clear(struct packet *packet)
{
	packet->n_steps = packet->n_words = packet->instructions = 0;
}

/* ---- workers ----------------------------------------------------------------------------- */

static struct packet *take_spare(struct pipeline *p)
{
	struct packet *packet = p->spare;

	if (packet)
		p->spare = packet->next;
	return packet;
}

static void append(struct queue *q, struct packet *packet)
{
	packet->next = NULL;
	*q->end = packet;
	q->end = &packet->next;
	q->count++;
}

static struct packet *hand_over(void *opaque, struct packet *full)
{
	struct worker *w = opaque;
	struct pipeline *p = w->pipeline;
	struct packet *packet;
	bool stopped;

	pthread_mutex_lock(&p->lock);
	if (full) {
		while (w->queue->count >= PART_PACKETS && !p->stopped)
			pthread_cond_wait(&p->room, &p->lock);
		append(w->queue, full);
		pthread_cond_signal(&p->more);
	}
	packet = take_spare(p);
	stopped = p->stopped;
	if (stopped && packet) {
		packet->next = p->spare;
		p->spare = packet;
	}
	pthread_mutex_unlock(&p->lock);
	if (stopped)
		return NULL;
	if (!packet)
		packet = checked(malloc(sizeof(*packet)));
	packet_clear(packet);
	return packet;
}

static struct queue *take_queue(struct pipeline *p)
{
	struct queue *q = NULL;

	pthread_mutex_lock(&p->lock);
	if (!p->stopped && p->next < p->queues.count)
		q = &p->queues.at[p->next++];
	pthread_mutex_unlock(&p->lock);
	return q;
}

static void *work(void *opaque)
{
	struct worker *w = opaque;
	struct pipeline *p = w->pipeline;

	while ((w->queue = take_queue(p))) {
		struct packet *last = NULL;
		struct tf_error error;
		int status = decode_part(&w->decoder, &w->queue->part, &last, &error);

		pthread_mutex_lock(&p->lock);
		if (last)
			append(w->queue, last);
		w->queue->done = true;
		w->queue->status = status < 0 ? status : 0;
		if (status < 0)
			w->queue->error = error;
		pthread_cond_signal(&p->more);
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int compare_queues(const void *a, const void *b)
{
	const struct queue *x = a, *y = b;

	if (x->part.thread != y->part.thread)
		return x->part.thread < y->part.thread ? -1 : 1;
	return x->part.first < y->part.first ? -1 : x->part.first > y->part.first;
}

/* Makes a part of each chunk; a thread's last one goes to its end. */
static void list_parts(struct pipeline *p, struct tf_reader *reader)
{
	struct tf_section_info s;
	size_t n = 0;

	for (uint32_t i = 0; tf_section(reader, i, &s); i++) {
		if (s.thread >= tf_n_threads(reader))
			continue;
		CHECKED_RESERVE(p->queues, p->queues.count + 1);
		p->queues.at[p->queues.count++] = (struct queue){
			.part = { s.thread, s.first_ordinal, s.instructions },
		};
	}
	if (p->queues.count)
		qsort(p->queues.at, p->queues.count, sizeof(*p->queues.at), compare_queues);
	for (size_t i = 0; i < p->queues.count; i++) {
		const struct stream_part *part = &p->queues.at[i].part;
		bool is_last = i + 1 == p->queues.count ||
			       p->queues.at[i + 1].part.thread != part->thread;

		/* Chunks that have only events belong to the part before or behind them. */
		if (!part->count && !is_last)
			continue;
		p->queues.at[n] = p->queues.at[i];
		if (is_last)
			p->queues.at[n].part.count = UINT64_MAX;
		if (is_last && !part->count && n && p->queues.at[n - 1].part.thread == part->thread)
			p->queues.at[--n].part.count = UINT64_MAX;
		n++;
	}
	p->queues.count = n;
	for (size_t i = 0; i < n; i++)
		p->queues.at[i].end = &p->queues.at[i].packets;
}

static void start(struct pipeline *p, const struct dictionary *d, const struct event_rules *rules,
		  unsigned jobs)
{
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	pthread_cond_init(&p->room, NULL);
	p->n_workers = jobs;
	p->workers = checked_array(jobs, sizeof(*p->workers));
	for (unsigned i = 0; i < jobs; i++) {
		struct worker *w = &p->workers[i];

		w->pipeline = p;
		w->decoder.d = d;
		w->decoder.rules = *rules;
		w->decoder.next_packet = hand_over;
		w->decoder.opaque = w;
		if (pthread_create(&w->thread, NULL, work, w))
			break;
		p->n_started++;
	}
}

/* Waits for a packet of the current part. Returns false when the part has no more. */
static bool wait_for_packet(struct pipeline *p, struct queue *q)
{
	while (!q->packets && !q->done)
		pthread_cond_wait(&p->more, &p->lock);
	return q->packets;
}

/*
 * Gives the next packet and its thread. Returns 1, 0 at the end, or a negative status. The packet
 * is valid until the next call.
 */
static int next_packet(struct pipeline *p, const struct packet **packet, uint32_t *thread,
		       struct tf_error *error)
{
	int status = 0;

	if (!p->n_started && p->queues.count) {
		*error = (struct tf_error){ .status = TF_E_MEMORY,
					    .text = "the system gives no threads" };
		return TF_E_MEMORY;
	}
	pthread_mutex_lock(&p->lock);
	if (p->out) {
		p->out->next = p->spare;
		p->spare = p->out;
		p->out = NULL;
	}
	while (p->current < p->queues.count && status == 0) {
		struct queue *q = &p->queues.at[p->current];

		if (wait_for_packet(p, q)) {
			p->out = q->packets;
			q->packets = p->out->next;
			if (!q->packets)
				q->end = &q->packets;
			q->count--;
			*packet = p->out;
			*thread = q->part.thread;
			status = 1;
			pthread_cond_broadcast(&p->room);
		} else if (q->status < 0) {
			status = q->status;
			*error = q->error;
		} else {
			p->current++;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return status;
}

static void free_packets(struct packet *packet)
{
	while (packet) {
		struct packet *next = packet->next;

		free(packet);
		packet = next;
	}
}

/* Ends, also early. */
static void stop(struct pipeline *p, struct event_rules *rules)
{
	pthread_mutex_lock(&p->lock);
	p->stopped = true;
	pthread_cond_broadcast(&p->room);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->n_workers; i++) {
		struct worker *w = &p->workers[i];

		if (i < p->n_started)
			pthread_join(w->thread, NULL);
		rules->dropped += w->decoder.rules.dropped;
		rules->cleared += w->decoder.rules.cleared;
		free(w->decoder.pending.at);
	}
	for (size_t i = 0; i < p->queues.count; i++)
		free_packets(p->queues.at[i].packets);
	free_packets(p->spare);
	free_packets(p->out);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->more);
	pthread_cond_destroy(&p->room);
	free(p->workers);
}

static int run_team(struct pipeline *p, const struct dictionary *d, struct event_rules *rules,
		    unsigned jobs, const struct sink *to, struct tf_error *error)
{
	const struct packet *packet;
	uint32_t thread;
	int status = 0;

	start(p, d, rules, jobs);
	while (status == 0 && (status = next_packet(p, &packet, &thread, error)) > 0)
		status = to->put(to->opaque, packet, thread, error);
	stop(p, rules);
	return status;
}

/* ---- without workers --------------------------------------------------------------------- */

struct alone {
	const struct sink *to;
	struct packet *packet;
	uint32_t thread;
	int status; /* of the sink */
	struct tf_error *error;
};

/* Puts the packet, and returns it for the next steps. */
static struct packet *put_full(void *opaque, struct packet *full)
{
	struct alone *a = opaque;

	if (full)
		a->status = a->to->put(a->to->opaque, full, a->thread, a->error);
	packet_clear(a->packet);
	return a->status < 0 ? NULL : a->packet;
}

/* Decodes and puts by turns. */
static int run_alone(const struct pipeline *p, const struct dictionary *d,
		     struct event_rules *rules, const struct sink *to, struct tf_error *error)
{
	struct alone a = { .to = to, .packet = checked(malloc(sizeof(*a.packet))), .error = error };
	struct decoder decoder = { .d = d, .rules = *rules, .next_packet = put_full, .opaque = &a };
	int status = 0;

	for (size_t i = 0; i < p->queues.count && status == 0; i++) {
		const struct stream_part *part = &p->queues.at[i].part;
		struct packet *last;

		a.thread = part->thread;
		status = decode_part(&decoder, part, &last, error);
		if (status == 0)
			put_full(&a, last);
		if (a.status < 0)
			status = a.status;
	}
	rules->dropped += decoder.rules.dropped;
	rules->cleared += decoder.rules.cleared;
	free(decoder.pending.at);
	free(a.packet);
	return status;
}

int pipeline_decode(const struct dictionary *d, struct event_rules *rules, unsigned jobs,
		    packet_sink *put, void *opaque, struct tf_error *error)
{
	const struct sink to = { put, opaque };
	struct pipeline p = { 0 };
	int status;

	list_parts(&p, d->reader);
	status = jobs > 1 ? run_team(&p, d, rules, jobs, &to, error)
			  : run_alone(&p, d, rules, &to, error);
	free(p.queues.at);
	return status;
}
