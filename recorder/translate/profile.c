/* SPDX-License-Identifier: MIT */
#include "recorder/translate/profile.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/functions.h"

enum {
	SAMPLE = 4096,			/* records looked at at once */
	FIRST_INTERVAL = 32 << 10,	/* bytes of records between samples */
	LAST_INTERVAL = 4 << 20,
	LEAST_SHARE = 128,		/* of the records: one in so many begins at a hot path */
};

/* An exit in the sample. */
struct seen {
	uint32_t number;	/* + 1; 0: free */
	uint32_t count;
	struct translation *next;	/* what ran behind it, last */
	uint32_t next_count;		/* how often that was the same as before */
};

struct profile {
	const struct session *session;
	uint64_t left;		/* bytes until the next sample */
	uint64_t interval;
	struct seen seen[2 * SAMPLE];	/* a hash table */
	pthread_mutex_t lock;
	unsigned n_chains;
	struct chain chains[PROFILE_CHAINS];
};

struct profile *profile_new(const struct session *session)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->session = session;
	p->interval = FIRST_INTERVAL;
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

void profile_free(struct profile *p)
{
	free(p);
}

static struct seen *find(struct profile *p, uint32_t number)
{
	uint32_t i = number * 0x9e3779b1u >> 7;

	for (;; i++) {
		struct seen *s = &p->seen[i % (2 * SAMPLE)];

		if (s->number == number + 1 || !s->number)
			return s;
	}
}

static int32_t event_bytes(const struct session *s, uint32_t number)
{
	if (number == RECORD_RETURN)
		return record_slot(RECORD_RETURN_SLOTS);
	return record_slot(RECORD_CALL_SLOTS + functions_args(s, number - RECORD_CALL));
}

/* Counts exits and what follows them. Returns how many records there were. */
static unsigned count(struct profile *p, const struct cache *c, const uint8_t *from,
		      const uint8_t *to)
{
	struct seen *before = NULL;
	unsigned n = 0;

	memset(p->seen, 0, sizeof(p->seen));
	while (from < to && n < SAMPLE) {
		uint32_t number = *(const uint32_t *)from;
		struct cache_exit e;
		struct seen *s;

		if (number >= RECORD_CALL) {
			from += event_bytes(p->session, number);
			continue;
		}
		if (number >= cache_exits(c))
			break;
		e = cache_exit(c, number);
		s = find(p, number);
		s->number = number + 1;
		s->count++;
		if (before) {
			before->next_count += before->next == e.translation;
			before->next = e.translation;
		}
		before = s;
		n++;
		from += record_slot(e.translation->exits[e.exit].trace.n_slots);
	}
	return n;
}

/* The path's executions, and the exit that it left by most; NULL: it is not in the sample. */
static const struct seen *busiest_exit(struct profile *p, const struct translation *t,
				       unsigned *total)
{
	const struct seen *best = NULL;

	*total = 0;
	for (unsigned i = 0; i < t->n_exits; i++) {
		const struct seen *s = find(p, t->first_exit + i);

		*total += s->count;
		if (s->count && (!best || s->count > best->count))
			best = s;
	}
	return best;
}

static bool append(struct chain *chain, const struct translation *t, unsigned n_blocks,
		   unsigned *n_insns)
{
	for (unsigned i = 0; i < n_blocks; i++) {
		struct code_block *b = t->blocks[i];

		if (chain->n_blocks == PLAN_BLOCKS || *n_insns + b->trace.n_insns > PLAN_INSNS ||
		    (chain->n_blocks && b->watch.any))
			return false;
		chain->blocks[chain->n_blocks++] = b;
		*n_insns += b->trace.n_insns;
	}
	return true;
}

/* Follows the busiest exits. False: there is nothing to be joined. */
static bool follow(struct profile *p, const struct cache *c, struct translation *head,
		   struct chain *chain)
{
	const struct translation *t = head;
	unsigned n_insns = 0, total;

	*chain = (struct chain){ .head = head };
	while (t) {
		const struct seen *s = busiest_exit(p, t, &total);
		unsigned exit;

		if (!s || s->count < total - s->count) {
			append(chain, t, t->n_blocks, &n_insns);
			break;
		}
		exit = cache_exit(c, s->number - 1).exit;
		if (!append(chain, t, t->exits[exit].trace.n_blocks, &n_insns))
			break;
		t = s->next_count >= s->count / 2 ? s->next : NULL;
	}
	return chain->n_blocks > head->n_blocks;
}

static bool is_head(const struct profile *p, const struct translation *t)
{
	for (unsigned i = 0; i < p->n_chains; i++)
		if (p->chains[i].head == t)
			return true;
	return false;
}

/* Finds chains that begin with what is busiest. */
static void find_chains(struct profile *p, const struct cache *c, unsigned n)
{
	while (p->n_chains < PROFILE_CHAINS) {
		struct translation *head = NULL;
		unsigned most = n / LEAST_SHARE;

		for (unsigned i = 0; i < 2 * SAMPLE; i++) {
			const struct seen *s = &p->seen[i];
			struct translation *t;
			unsigned total;

			if (!s->number || s->count < most / 4)
				continue;
			t = cache_exit(c, s->number - 1).translation;
			if (t->joined || is_head(p, t))
				continue;
			busiest_exit(p, t, &total);
			if (total > most) {
				most = total;
				head = t;
			}
		}
		if (!head)
			break;
		head->joined = true;
		if (follow(p, c, head, &p->chains[p->n_chains]))
			p->n_chains++;
	}
}

void profile_records(struct profile *p, const struct cache *c, const uint8_t *from,
		     const uint8_t *to)
{
	uint64_t size = (uint64_t)(to - from);
	unsigned n;

	if (size < p->left) {
		p->left -= size;
		return;
	}
	n = count(p, c, from, to);
	p->left = p->interval;
	if (n < SAMPLE / 8)
		return;
	pthread_mutex_lock(&p->lock);
	find_chains(p, c, n);
	pthread_mutex_unlock(&p->lock);
	if (p->interval < LAST_INTERVAL)
		p->interval += p->interval / 4;
}

unsigned profile_take(struct profile *p, struct chain chains[PROFILE_CHAINS])
{
	unsigned n;

	if (!__atomic_load_n(&p->n_chains, __ATOMIC_RELAXED))
		return 0;
	pthread_mutex_lock(&p->lock);
	n = p->n_chains;
	memcpy(chains, p->chains, n * sizeof(*chains));
	p->n_chains = 0;
	pthread_mutex_unlock(&p->lock);
	return n;
}

void profile_forget(struct profile *p)
{
	p->n_chains = 0;
}
