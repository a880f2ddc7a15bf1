/* SPDX-License-Identifier: MIT */
#include "recorder/translate/thread/hot_paths.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/translate/cache/cache.h"
#include "traceformat/common/hash_table.h"

enum {
	SAMPLE = 8192,              /* records in a sample */
	RUNS = 64,                  /* most executions of a superblock that are followed */
	LEAST_RUNS = 16,            /* executions that make a superblock worth following */
	LEAST_SAMPLE = SAMPLE / 16, /* records that are enough for a profile */
	LEAST_SHARE = 8, /* a chain ends where fewer than one in so many runs follow it */
	SELDOM = 16,     /* a long chain is left by at most one in so many runs */
	/* an exit is extended if at least one in so many records leaves by it */
	LEAST_RECORDS = 256,
	BRANCHES = 8,               /* successors that are counted separately */
	LEAST_INTERVAL = 256 << 10, /* bytes of records between samples */
	LEAST_AGAIN = 4 << 20,      /* the same, if an earlier recording has found hot paths */
	LAST_INTERVAL = 32 << 20,
	PREFETCH = 4096, /* bytes ahead: another core has written them */
	LINE = 64,       /* bytes of a cache line */
	MANY_CHAINS = 8, /* chains in a sample that call for the next sample soon */
};

/* An execution of a superblock, from a record. */
struct executed {
	const struct translation *superblock;
	uint16_t exit, n_blocks;
	uint32_t next; /* the superblock's next execution; 0: none */
};

/* A superblock in the sample. */
struct head {
	struct translation *key; /* the superblock */
	uint32_t first, last;    /* indexes of executions */
	uint32_t count, n_insns;
};

/* The position that one execution of a chain has reached in the sample. */
struct run {
	uint32_t at; /* index of the record */
	uint16_t block;
};

struct hot_paths {
	const struct session *session;
	uint64_t left; /* bytes until the next sample */
	uint64_t interval, least_interval;
	unsigned n;
	struct executed sample[SAMPLE + 1]; /* used from index 1 on */
	HASH_TABLE(struct head) heads;
	unsigned n_busy;
	struct head busy[SAMPLE / LEAST_RUNS];
	pthread_mutex_t lock;
	atomic_uint n_chains; /* changed under the lock, also read without it */
	struct chain chains[HOT_PATHS_CHAINS];
};

struct hot_paths *hot_paths_new(const struct session *session, bool found_before)
{
	struct hot_paths *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->session = session;
	p->least_interval = found_before ? LEAST_AGAIN : LEAST_INTERVAL;
	p->interval = p->least_interval;
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

bool hot_paths_are_long(const struct session *s)
{
	const struct record_options *o = s->options;

	return !o->serial && !o->max_size && !o->from && !o->to && !o->skip &&
	       !o->window.instructions && !o->window.seconds && !o->interval && !o->slices &&
	       !o->online.interval;
}

unsigned hot_paths_most_insns(const struct session *s)
{
	return hot_paths_are_long(s) ? PLAN_INSNS : PLAN_COLD_INSNS;
}

void hot_paths_free(struct hot_paths *p)
{
	if (p)
		TABLE_FREE(p->heads);
	free(p);
}

/* ---- the sample ---- */

/* Adds an execution to the sample. Returns false if memory is out. */
static bool add(struct hot_paths *p, struct cache_exit e)
{
	struct translation *superblock = e.translation;
	const struct translation_exit *exit = &superblock->exits[e.exit];
	struct head *h = TABLE_PUT(p->heads, superblock);
	uint32_t at = p->n + 1;

	if (!h)
		return false;
	p->n = at;
	p->sample[at] = (struct executed){ superblock, (uint16_t)e.exit, exit->trace.n_blocks, 0 };
	if (h->count)
		p->sample[h->last].next = at;
	else
		h->first = at;
	h->last = at;
	h->count++;
	h->n_insns += exit->n_insns;
	return true;
}

static void take_sample(struct hot_paths *p, const struct cache *c, const uint8_t *from,
			const uint8_t *to)
{
	p->n = 0;
	TABLE_CLEAR(p->heads);
	while (from < to && p->n < SAMPLE) {
		struct cache_exit e;
		unsigned size = cache_record_size(p->session, c, from, &e);

		if (!size || (e.translation && !add(p, e)))
			break;
		for (unsigned i = 0; i < size; i += LINE)
			__builtin_prefetch(from + PREFETCH + i);
		from += size;
	}
}

static int by_count(const void *a, const void *b)
{
	const struct head *x = a, *y = b;

	return x->count < y->count ? 1 : -(x->count > y->count);
}

/*
 * Collects the superblocks that ran often enough to predict what follows them, the busiest first.
 */
static void find_busy(struct hot_paths *p)
{
	p->n_busy = 0;
	for (size_t i = 0; i < p->heads.count; i++)
		if (p->heads.at[i].count >= LEAST_RUNS)
			p->busy[p->n_busy++] = p->heads.at[i];
	qsort(p->busy, p->n_busy, sizeof(*p->busy), by_count);
}

/* ---- chains ---- */

/* Returns the block that a run executes next, or NULL at the sample's end. */
static struct code_block *block_of(const struct hot_paths *p, const struct run *r)
{
	return r->at <= p->n ? p->sample[r->at].superblock->blocks[r->block] : NULL;
}

static void advance(const struct hot_paths *p, struct run *r)
{
	if (++r->block == p->sample[r->at].n_blocks)
		*r = (struct run){ .at = r->at + 1 };
}

/* Begins runs at some of the superblock's executions, spread evenly over the sample. */
static unsigned begin_runs(const struct hot_paths *p, const struct head *h, struct run *runs)
{
	unsigned step = (h->count + RUNS - 1) / RUNS, n = 0, i = 0;

	for (uint32_t at = h->first; at; at = p->sample[at].next)
		if (i++ % step == 0)
			runs[n++] = (struct run){ .at = at };
	return n;
}

/* Begins runs after some of the `count` executions that leave by the exit. */
static unsigned begin_behind(const struct hot_paths *p, const struct head *h, unsigned exit,
			     unsigned count, struct run *runs)
{
	unsigned step = (count + RUNS - 1) / RUNS, n = 0, i = 0;

	for (uint32_t at = h->first; at; at = p->sample[at].next)
		if (p->sample[at].exit == exit && i++ % step == 0)
			runs[n++] = (struct run){ .at = at + 1 };
	return n;
}

/* Returns the block that most runs execute next; sets *votes to the number of these runs. */
static struct code_block *favourite(const struct hot_paths *p, const struct run *runs, unsigned n,
				    unsigned *votes)
{
	struct code_block *blocks[BRANCHES];
	unsigned counts[BRANCHES], n_blocks = 0, best = 0;

	for (unsigned i = 0; i < n; i++) {
		struct code_block *b = block_of(p, &runs[i]);
		unsigned k = 0;

		while (k < n_blocks && blocks[k] != b)
			k++;
		if (k == BRANCHES || !b)
			continue;
		if (k == n_blocks) {
			blocks[n_blocks] = b;
			counts[n_blocks++] = 0;
		}
		if (++counts[k] > counts[best])
			best = k;
	}
	*votes = n_blocks ? counts[best] : 0;
	return n_blocks ? blocks[best] : NULL;
}

/* Keeps the runs that execute the block next, and moves them past it. */
static unsigned keep_runs(const struct hot_paths *p, struct run *runs, unsigned n,
			  const struct code_block *b)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		if (block_of(p, &runs[i]) == b) {
			runs[kept] = runs[i];
			advance(p, &runs[kept++]);
		}
	return kept;
}

/* Returns true if block b should follow the chain's last block. A guard that mostly fails costs
 * more than it saves. */
static bool goes_on(const struct chain *chain, const struct code_block *b, unsigned votes,
		    unsigned live, unsigned all)
{
	const struct code_block *last;

	if (votes < 2 || votes * LEAST_SHARE < all)
		return false;
	if (!chain->n_blocks)
		return true;
	last = chain->blocks[chain->n_blocks - 1];
	return !b->watch.any && plan_leads_to(last, b->trace.pc) &&
	       (!plan_ends_indirectly(last) || 2 * votes >= live);
}

/*
 * Returns true if there is room for a block in a chain that has n_insns instructions with this
 * block. A chain that is often left gets no longer than other superblocks: each of its exits would
 * get a superblock with slots of its own, which are too many for the encoder's caches.
 */
static bool fits(const struct session *s, const struct chain *chain, unsigned n_insns, bool certain)
{
	bool is_long = certain && hot_paths_are_long(s);

	return chain->n_blocks < (is_long ? PLAN_BLOCKS : PLAN_COLD_BLOCKS) &&
	       n_insns <= (is_long ? PLAN_INSNS : PLAN_COLD_INSNS);
}

/* Returns true for a power of two, and for three times one. */
static bool is_round(unsigned n)
{
	return n >> __builtin_ctz(n) <= 3;
}

/*
 * Shortens a chain of full length so that it ends where its loop begins again, after a round number
 * of iterations: data structures often have such sizes, and records of a loop over one of them
 * repeat the sooner.
 */
static void end_at_loop(struct chain *chain)
{
	unsigned n_blocks = chain->n_blocks, least = (chain->n_shared + n_blocks) / 2;
	unsigned iterations = 0;

	for (unsigned i = 1; i < n_blocks; i++)
		if (chain->blocks[i] == chain->blocks[0] && is_round(++iterations) && i > least)
			chain->n_blocks = i;
}

/*
 * Extends a chain of n_insns instructions by the blocks that most runs execute. Returns how many of
 * the added instructions are executed, summed over the runs.
 */
static unsigned follow(const struct hot_paths *p, struct run *runs, unsigned n_runs,
		       struct chain *chain, unsigned n_insns)
{
	unsigned first = chain->n_blocks, live = n_runs, sum = 0, votes;
	unsigned executed[PLAN_BLOCKS]; /* instructions executed in all runs */
	struct code_block *b;

	while ((b = favourite(p, runs, live, &votes)) && goes_on(chain, b, votes, live, n_runs)) {
		if (!fits(p->session, chain, n_insns + b->trace.n_insns,
			  votes >= n_runs - n_runs / SELDOM)) {
			end_at_loop(chain);
			break;
		}
		live = keep_runs(p, runs, live, b);
		n_insns += b->trace.n_insns;
		executed[chain->n_blocks] = live * b->trace.n_insns;
		chain->blocks[chain->n_blocks++] = b;
	}
	for (unsigned i = first; i < chain->n_blocks; i++)
		sum += executed[i];
	return sum;
}

/* Finds a chain whose records would cover at least a quarter more instructions than the
 * superblock's do. */
static bool is_worth_replacing(const struct hot_paths *p, const struct head *h, struct chain *chain)
{
	struct run runs[RUNS];
	unsigned n = begin_runs(p, h, runs), sum;

	*chain = (struct chain){ .head = h->key };
	sum = follow(p, runs, n, chain, 0);
	return (uint64_t)sum * h->count * 4 > (uint64_t)h->n_insns * n * 5;
}

/* Finds a chain that extends the exit, by which `count` executions leave. Returns true if it is
 * worth it. */
static bool extends(const struct hot_paths *p, const struct head *h, unsigned exit, unsigned count,
		    struct chain *chain)
{
	const struct translation_exit *e = &h->key->exits[exit];
	struct run runs[RUNS];
	unsigned n = begin_behind(p, h, exit, count, runs), sum;

	*chain = (struct chain){ .head = h->key,
				 .exit = exit,
				 .n_shared = e->trace.n_blocks,
				 .n_blocks = e->trace.n_blocks };
	memcpy(chain->blocks, h->key->blocks, chain->n_blocks * sizeof(*chain->blocks));
	sum = follow(p, runs, n, chain, e->n_insns);
	return chain->n_blocks > chain->n_shared &&
	       (!e->target || chain->blocks[chain->n_shared]->trace.pc == e->target) &&
	       4 * sum > n * e->n_insns;
}

static bool can_be_extended(const struct translation_exit *e)
{
	return e->side_exit.pc && !e->extended;
}

/* Sets a flag, and returns true if no other thread's sample has set it before. */
static bool claim(atomic_bool *flag)
{
	return !atomic_exchange_explicit(flag, true, memory_order_relaxed);
}

static void extend(struct hot_paths *p, const struct head *h)
{
	unsigned counts[PLAN_EXITS] = { 0 }, least = p->n / LEAST_RECORDS;

	for (uint32_t at = h->first; at; at = p->sample[at].next)
		counts[p->sample[at].exit]++;
	for (unsigned i = 0; i < h->key->n_exits && p->n_chains < HOT_PATHS_CHAINS; i++) {
		struct translation_exit *e = &h->key->exits[i];

		if (counts[i] < LEAST_RUNS || counts[i] < least || !can_be_extended(e) ||
		    !extends(p, h, i, counts[i], &p->chains[p->n_chains]) || !claim(&e->extended))
			continue;
		/* The superblock's records will not include these executions. */
		h->key->extension_done = true;
		p->n_chains++;
	}
}

/* Returns the number of chains found. */
static unsigned find_chains(struct hot_paths *p)
{
	unsigned before = p->n_chains;

	for (unsigned i = 0; i < p->n_busy && p->n_chains < HOT_PATHS_CHAINS; i++) {
		struct head *h = &p->busy[i];

		if (h->key->extension_done || !is_worth_replacing(p, h, &p->chains[p->n_chains]))
			extend(p, h);
		else
			p->n_chains += claim(&h->key->extension_done);
	}
	return p->n_chains - before;
}

/* Returns the interval to the next sample. Programs have phases, so finding many chains shortens
 * it. */
static uint64_t next_interval(uint64_t interval, uint64_t least, unsigned n_found)
{
	if (n_found >= MANY_CHAINS)
		interval /= 4;
	else if (!n_found)
		interval *= 2;
	if (interval > LAST_INTERVAL)
		return LAST_INTERVAL;
	return interval < least ? least : interval;
}

void hot_paths_records(struct hot_paths *p, const struct cache *c, const uint8_t *from,
		       const uint8_t *to)
{
	uint64_t size = (uint64_t)(to - from);

	if (size < LEAST_SAMPLE * RECORD_HEADER)
		return;
	if (size < p->left) {
		p->left -= size;
		return;
	}
	take_sample(p, c, from, to);
	p->left = p->interval;
	if (p->n < LEAST_SAMPLE)
		return;
	find_busy(p);
	pthread_mutex_lock(&p->lock);
	if (p->n_chains < HOT_PATHS_CHAINS / 2)
		p->interval = next_interval(p->interval, p->least_interval, find_chains(p));
	pthread_mutex_unlock(&p->lock);
}

void hot_paths_begin(struct hot_paths *p)
{
	p->left = 0;
}

unsigned hot_paths_take(struct hot_paths *p, struct chain chains[HOT_PATHS_CHAINS])
{
	unsigned n;

	if (!atomic_load_explicit(&p->n_chains, memory_order_relaxed))
		return 0;
	pthread_mutex_lock(&p->lock);
	n = p->n_chains;
	memcpy(chains, p->chains, n * sizeof(*chains));
	p->n_chains = 0;
	pthread_mutex_unlock(&p->lock);
	return n;
}

void hot_paths_forget(struct hot_paths *p)
{
	p->n_chains = 0;
}
