/* SPDX-License-Identifier: MIT */
/*
 * Branch predictability: mispredictions of conditional branches by prediction by partial matching,
 * with the history of all branches (G) or of the one (P), and one table for all (g) or one for each
 * (s): GAg, PAg, GAs, PAs, for three lengths of history.
 *
 * A GAg or PAg predictor has a table of counters for each order, the number of outcomes it goes by,
 * from 0 to the length; the longest order whose counter has been set predicts, and it and the
 * longer ones learn. The tables of one branch begin set, so that their longest order always
 * predicts: GAs and PAs have only that order.
 *
 * Numbers: mispredictions, for each length those of GAg, PAg, GAs, PAs; branches executed; and two
 * sums over all static branches. The first adds how often a branch kept its direction, or how often
 * it changed its direction, whichever is less. The second adds in the same way how often it was
 * taken or not taken. Memory: 8.7 KB for each static branch that executes. Time: at most the orders
 * of 6 tables for each execution.
 *
 * Histories are known before any prediction, so branches are collected and handed to one predictor
 * after the other, whose waits for memory overlap. With several jobs, predictors run at the same
 * time, and while more branches are collected.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/workers.h"
#include "analyzers/mica/analysis.h"

enum { MOST = 127, KINDS = 4, GAG = 0, PAG, GAS, PAS };
enum {
	OUTCOMES = 256, /* that stay in a cache of level 1 */
	BATCH = 16,     /* struct outcomes; this and N_BATCHES: with other threads */
	N_BATCHES = 8,
};
enum { APART = 128 /* bytes of tables that several threads write at a time */ };
enum { N_WRONG = MICA_PPM_LENGTHS * KINDS, N_SUMS = 3, N_GROUPS = 6 /* of predictors */ };

struct branch_counts {
	uint64_t executed, taken, changed;
};

struct branch {
	uint64_t history;
	struct branch_counts now, all; /* in the interval, and in those before it */
	int8_t last;                   /* direction + 1; 0: none yet */
};

/* An execution of a branch; small, because other threads read it from another processor's cache. */
struct outcome {
	uint32_t branch;
	uint16_t history; /* of this branch */
	bool taken;
};

/* Executions, one after the other. */
struct outcomes {
	uint64_t history; /* of all branches, before them */
	unsigned count;
	struct outcome at[OUTCOMES];
};

struct ppm {
	const struct mica_setup *setup;
	int8_t *shared[MICA_PPM_LENGTHS][2];       /* GAg, PAg: order i from 2^i - 1 */
	size_t own[MICA_PPM_LENGTHS][2], own_size; /* where GAs and PAs are in a branch's
							   own */
	bool runs[MICA_PPM_LENGTHS][KINDS];        /* this share has the predictor */
	bool counts_none;                          /* another share counts the branches */
	int8_t learnt[2][256]; /* what a counter becomes, by outcome and counter as uint8_t */
	uint64_t wrong[MICA_PPM_LENGTHS][KINDS], all_wrong[MICA_PPM_LENGTHS][KINDS];
	int8_t **tables; /* of GAs and PAs, by branch; NULL before it executes */
	struct outcomes *batches[N_BATCHES]; /* only the first without workers */
	unsigned batch;                      /* struct outcomes of each */
	struct workers *workers;             /* NULL: none */
	/* Changed while other threads predict, and therefore in other lines of a cache. */
	char apart[APART];
	uint64_t history;
	struct branch *branches;
	struct outcomes collected;
	struct outcomes *next; /* their place in a batch that no predictor has yet */
	unsigned left;         /* places in this batch */
};

/* ---- predictors -------------------------------------------------------------------------- */

/* Moves a counter one step towards the outcome, skipping 0, which means that nothing is known. */
static int8_t step(int counter, bool taken)
{
	int by = taken ? 1 : -1, value = counter + by;

	value = value ? value : by;
	return value < -MOST ? -MOST : value > MOST ? MOST : value;
}

static inline bool is_wrong(int8_t counter, bool taken)
{
	return (counter > 0) != taken;
}

static inline void learn(const struct ppm *p, int8_t *counter, bool taken)
{
	*counter = p->learnt[taken][(uint8_t)*counter];
}

/* Runs GAg or PAg. Returns true if the prediction was wrong. */
static inline bool run_shared(const struct ppm *p, int8_t *table, unsigned length, uint64_t history,
			      bool taken)
{
	unsigned order = length;
	int8_t *counter;

	for (;;) {
		counter = table + (1u << order) - 1 + (history & ((1u << order) - 1));
		if (*counter || !order)
			break;
		order--;
	}
	bool wrong = is_wrong(*counter, taken);

	learn(p, counter, taken);
	while (++order <= length) {
		counter = table + (1u << order) - 1 + (history & ((1u << order) - 1));
		learn(p, counter, taken);
	}
	return wrong;
}

static uint64_t run_all_shared(const struct ppm *p, const struct outcomes *outcomes, unsigned l,
			       unsigned k)
{
	const struct outcome *o = outcomes->at, *end = o + outcomes->count;
	unsigned length = p->setup->ppm_lengths[l];
	uint64_t wrong = 0, history = outcomes->history;
	int8_t *table = p->shared[l][k];

	for (; o < end; o++) {
		wrong += run_shared(p, table, length, k ? o->history : history, o->taken);
		history = history << 1 | o->taken;
	}
	return wrong;
}

/* Runs GAs or PAs over all branches. Returns the mispredictions. */
static uint64_t run_all_own(const struct ppm *p, const struct outcomes *outcomes, unsigned l,
			    unsigned k)
{
	const struct outcome *o = outcomes->at, *end = o + outcomes->count;
	uint32_t mask = (1u << p->setup->ppm_lengths[l]) - 1;
	uint64_t wrong = 0, history = outcomes->history;
	int8_t *const *tables = p->tables;
	size_t table = p->own[l][k];

	for (; o < end; o++) {
		int8_t *counter = tables[o->branch] + table + ((k ? o->history : history) & mask);

		wrong += is_wrong(*counter, o->taken);
		learn(p, counter, o->taken);
		history = history << 1 | o->taken;
	}
	return wrong;
}

/* Runs a predictor, numbered by length and kind. */
static void run_predictor(struct ppm *p, const struct outcomes *outcomes, unsigned predictor)
{
	unsigned l = predictor / KINDS, kind = predictor % KINDS;

	if (p->runs[l][kind])
		p->wrong[l][kind] += kind < GAS ? run_all_shared(p, outcomes, l, kind)
						: run_all_own(p, outcomes, l, kind - GAS);
}

/* Runs every N_GROUPS-th predictor over a batch. */
static void run_group(void *self, unsigned group, unsigned batch)
{
	struct ppm *p = self;
	const struct outcomes *outcomes = p->batches[batch];

	for (unsigned n = 0; n < p->batch; n++)
		for (unsigned i = group; i < N_WRONG; i += N_GROUPS)
			run_predictor(p, &outcomes[n], i);
}

/* Begins a batch. */
static void begin_batch(struct ppm *p)
{
	p->next = p->batches[p->workers ? workers_batch(p->workers) : 0];
	p->left = p->batch;
	for (unsigned i = 0; i < p->batch; i++)
		p->next[i].count = 0;
}

/* Predicts the outcomes of a batch, perhaps later. */
static void predict(struct ppm *p)
{
	if (p->workers)
		workers_hand_out(p->workers);
	for (unsigned i = 0; !p->workers && i < N_WRONG; i++)
		run_predictor(p, p->batches[0], i);
	begin_batch(p);
}

/*
 * Puts the collected outcomes into a batch. They are copied at once, because each store to a line
 * that another processor has in its cache waits for this line.
 */
static void put_collected(struct ppm *p)
{
	*p->next++ = p->collected;
	p->collected.history = p->history;
	p->collected.count = 0;
	if (!--p->left)
		predict(p);
}

/* Finishes all predictions. */
static void flush(struct ppm *p)
{
	put_collected(p);
	predict(p);
	if (p->workers)
		workers_finish(p->workers);
}

/* ---- setting up -------------------------------------------------------------------------- */

/* Rounds a size up so that no line of a cache has two tables. */
static size_t apart(size_t size)
{
	return (size + APART - 1) / APART * APART;
}

/* Returns tables of counters of a value. size: a multiple of APART, not 0. */
static int8_t *new_tables(size_t size, int value)
{
	return memset(checked(aligned_alloc(APART, size)), value, size);
}

/* Chooses the predictors of a share, and places their tables in a branch's own. */
static void choose_predictors(struct ppm *p, uint64_t share, uint64_t n)
{
	p->own_size = 0;
	p->counts_none = share != 0;
	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < KINDS; k++) {
			p->runs[l][k] = (l * KINDS + k) % n == share;
			if (k < GAS || !p->runs[l][k])
				continue;
			p->own[l][k - GAS] = p->own_size;
			p->own_size += apart((size_t)1 << p->setup->ppm_lengths[l]);
		}
}

static void *start(const struct mica_setup *setup)
{
	struct ppm *p = checked_array(1, sizeof(*p));

	p->setup = setup;
	p->batch = setup->jobs > 1 ? BATCH : 1;
	p->tables = checked_array(setup->numbers.branches, sizeof(*p->tables));
	for (int i = -128; i < 128; i++)
		for (unsigned taken = 0; taken < 2; taken++)
			p->learnt[taken][(uint8_t)i] = step(i, taken);
	p->branches = checked_array(setup->numbers.branches, sizeof(*p->branches));
	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < 2; k++)
			p->shared[l][k] = new_tables(apart(2u << setup->ppm_lengths[l]), 0);
	choose_predictors(p, 0, 1);
	for (unsigned i = 0; i < (setup->jobs > 1 ? N_BATCHES : 1); i++)
		p->batches[i] = checked_array(p->batch, sizeof(*p->batches[i]));
	if (setup->jobs > 1)
		p->workers = workers_new(setup->jobs - 1, N_GROUPS, N_BATCHES, run_group, p);
	begin_batch(p);
	return p;
}

static void divide(void *self, uint64_t share, uint64_t n)
{
	choose_predictors(self, share, n);
}

static void stop(void *self)
{
	struct ppm *p = self;

	workers_free(p->workers);
	for (unsigned i = 0; i < N_BATCHES; i++)
		free(p->batches[i]);
	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < 2; k++)
			free(p->shared[l][k]);
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++)
		free(p->tables[b]);
	free(p->tables);
	free(p->branches);
	free(p);
}

/* ---- branches ---------------------------------------------------------------------------- */

static void execute(struct ppm *p, uint32_t number, bool taken)
{
	struct branch *branch = &p->branches[number];

	if (!p->tables[number])
		p->tables[number] = new_tables(p->own_size ? p->own_size : APART, -1);
	if (p->collected.count == OUTCOMES)
		put_collected(p);
	p->collected.at[p->collected.count++] = (struct outcome){
		number,
		(uint16_t)branch->history,
		taken,
	};
	branch->now.executed++;
	branch->now.taken += taken;
	branch->now.changed += branch->last && branch->last != taken + 1;
	branch->last = taken + 1;
	p->history = p->history << 1 | taken;
	branch->history = branch->history << 1 | taken;
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	struct ppm *p = self;

	for (size_t i = 0; i < count; i++)
		if (events[i].insn->facts.conditional)
			execute(p, events[i].insn->branch, events[i].taken);
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	const struct mica_superblock *superblock = exec->superblock;
	struct ppm *p = self;

	for (unsigned k = 0; k < superblock->n_segments; k++)
		if (superblock->segments[k].branch != MICA_NO_BRANCH)
			execute(p, superblock->segments[k].branch,
				mica_segment_taken(superblock, k));
}

static uint64_t rarer(uint64_t count, uint64_t all)
{
	return count < all - count ? count : all - count;
}

/* Adds the counts of a branch to the sums over all branches. */
static void add_branch(uint64_t *sums, const struct branch_counts *counts)
{
	sums[0] += counts->executed;
	sums[1] += rarer(counts->changed, counts->executed);
	sums[2] += rarer(counts->taken, counts->executed);
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct ppm *p = self;
	uint64_t *sums = numbers + N_WRONG;

	(void)last;
	flush(p);
	memcpy(numbers, p->wrong, sizeof(p->wrong));
	for (unsigned i = 0; i < N_WRONG; i++)
		p->all_wrong[i / KINDS][i % KINDS] += p->wrong[i / KINDS][i % KINDS];
	memset(p->wrong, 0, sizeof(p->wrong));
	sums[0] = sums[1] = sums[2] = 0;
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++) {
		struct branch *branch = &p->branches[b];

		add_branch(sums, &branch->now);
		branch->all.executed += branch->now.executed;
		branch->all.changed += branch->now.changed;
		branch->all.taken += branch->now.taken;
		branch->now = (struct branch_counts){ 0 };
	}
	return N_WRONG + N_SUMS;
}

static void all(void *self, uint64_t *numbers)
{
	struct ppm *p = self;
	uint64_t *sums = numbers + N_WRONG;

	memcpy(numbers, p->all_wrong, sizeof(p->all_wrong));
	sums[0] = sums[1] = sums[2] = 0;
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++)
		add_branch(sums, &p->branches[b].all);
}

/* ---- parts: each with a warm-up, or shares ------------------------------------------------- */

static void complete(void *self)
{
	struct ppm *p = self;

	flush(p);
	for (uint32_t b = 0; p->counts_none && b < p->setup->numbers.branches; b++)
		p->branches[b].now = (struct branch_counts){ 0 };
}

static int merge(void *self, const void *later)
{
	const struct ppm *l = later;
	struct ppm *p = self;

	for (unsigned i = 0; i < N_WRONG; i++)
		p->wrong[i / KINDS][i % KINDS] += l->wrong[i / KINDS][i % KINDS];
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++) {
		p->branches[b].now.executed += l->branches[b].now.executed;
		p->branches[b].now.taken += l->branches[b].now.taken;
		p->branches[b].now.changed += l->branches[b].now.changed;
	}
	return 0;
}

static void save(void *self, struct state_writer *writer)
{
	const struct ppm *p = self;

	analyzer_put_all(writer, &p->wrong[0][0], N_WRONG);
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++) {
		const struct branch_counts *counts = &p->branches[b].now;

		analyzer_put(writer, counts->executed);
		if (!counts->executed)
			continue;
		analyzer_put(writer, counts->taken);
		analyzer_put(writer, counts->changed);
	}
}

static void load(void *self, struct state_reader *reader)
{
	struct ppm *p = self;

	analyzer_take_all(reader, &p->wrong[0][0], N_WRONG);
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++) {
		struct branch_counts *counts = &p->branches[b].now;

		counts->executed = analyzer_take(reader);
		counts->taken = counts->executed ? analyzer_take_max(reader, counts->executed) : 0;
		counts->changed = counts->executed ? analyzer_take_max(reader, counts->executed)
						   : 0;
	}
}

/* clang-format off */
const struct mica_analysis mica_ppm = {
	.start = start, .feed = feed, .superblock = feed_superblock, .end = end, .stop = stop,
	.all = all, .sequential = true, .complete = complete, .merge = merge, .save = save,
	.load = load, .divide = divide, .uses_jobs = true,
};
/* clang-format on */
