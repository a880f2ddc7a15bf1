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
 * after the other, whose waits for memory overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"

enum { MOST = 127, KINDS = 4, GAG = 0, PAG, GAS, PAS, BATCH = 256 };
enum { N_WRONG = MICA_PPM_LENGTHS * KINDS, N_SUMS = 3 };

struct branch_counts {
	uint64_t executed, taken, changed;
};

struct branch {
	uint64_t history;
	struct branch_counts now, all; /* in the interval, and in those before it */
	int8_t *own;                   /* tables of GAs and PAs; NULL before it executes */
	int8_t last;                   /* direction + 1; 0: none yet */
};

/* An execution of a branch. */
struct outcome {
	uint32_t history[2]; /* of all branches, of this one */
	int8_t *own;
	bool taken;
};

struct ppm {
	const struct mica_setup *setup;
	uint64_t history;
	int8_t *shared[MICA_PPM_LENGTHS][2];       /* GAg, PAg: order i from 2^i - 1 */
	size_t own[MICA_PPM_LENGTHS][2], own_size; /* where GAs and PAs are in a branch's
							   own */
	int8_t learnt[2][256]; /* what a counter becomes, by outcome and counter as uint8_t */
	uint64_t wrong[MICA_PPM_LENGTHS][KINDS], all_wrong[MICA_PPM_LENGTHS][KINDS];
	struct branch *branches;
	struct outcome outcomes[BATCH];
	unsigned n_outcomes;
};

/* Moves a counter one step towards the outcome, skipping 0, which means that nothing is known. */
static int8_t step(int counter, bool taken)
{
	int by = taken ? 1 : -1, value = counter + by;

	value = value ? value : by;
	return value < -MOST ? -MOST : value > MOST ? MOST : value;
}

static void *start(const struct mica_setup *setup)
{
	struct ppm *p = checked_array(1, sizeof(*p));

	p->setup = setup;
	for (int i = -128; i < 128; i++)
		for (unsigned taken = 0; taken < 2; taken++)
			p->learnt[taken][(uint8_t)i] = step(i, taken);
	p->branches = checked_array(setup->numbers.branches, sizeof(*p->branches));
	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < 2; k++) {
			p->shared[l][k] = checked_array(2u << setup->ppm_lengths[l], 1);
			p->own[l][k] = p->own_size;
			p->own_size += (size_t)1 << setup->ppm_lengths[l];
		}
	return p;
}

static void stop(void *self)
{
	struct ppm *p = self;

	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < 2; k++)
			free(p->shared[l][k]);
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++)
		free(p->branches[b].own);
	free(p->branches);
	free(p);
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

static uint64_t run_all_shared(const struct ppm *p, unsigned l, unsigned k)
{
	unsigned length = p->setup->ppm_lengths[l];
	uint64_t wrong = 0;

	for (unsigned i = 0; i < p->n_outcomes; i++) {
		const struct outcome *o = &p->outcomes[i];

		wrong += run_shared(p, p->shared[l][k], length, o->history[k], o->taken);
	}
	return wrong;
}

/* Runs GAs or PAs over all branches. Returns the mispredictions. */
static uint64_t run_all_own(const struct ppm *p, unsigned l, unsigned k)
{
	uint32_t mask = (1u << p->setup->ppm_lengths[l]) - 1;
	size_t table = p->own[l][k];
	uint64_t wrong = 0;

	for (unsigned i = 0; i < p->n_outcomes; i++) {
		const struct outcome *o = &p->outcomes[i];
		int8_t *counter = &o->own[table + (o->history[k] & mask)];

		wrong += is_wrong(*counter, o->taken);
		learn(p, counter, o->taken);
	}
	return wrong;
}

static void flush(struct ppm *p)
{
	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < 2; k++) {
			p->wrong[l][GAG + k] += run_all_shared(p, l, k);
			p->wrong[l][GAS + k] += run_all_own(p, l, k);
		}
	p->n_outcomes = 0;
}

static void execute(struct ppm *p, struct branch *branch, bool taken)
{
	if (!branch->own)
		branch->own = memset(checked_array(p->own_size, 1), -1, p->own_size);
	if (p->n_outcomes == BATCH)
		flush(p);
	p->outcomes[p->n_outcomes++] = (struct outcome){
		{ p->history, branch->history },
		branch->own,
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
			execute(p, &p->branches[events[i].insn->branch], events[i].taken);
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	const struct mica_superblock *superblock = exec->superblock;
	struct ppm *p = self;

	for (unsigned k = 0; k < superblock->n_segments; k++)
		if (superblock->segments[k].branch != MICA_NO_BRANCH)
			execute(p, &p->branches[superblock->segments[k].branch],
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

/* ---- parts, each with a warm-up ------------------------------------------------------------ */

static void complete(void *self)
{
	flush(self);
}

static void merge(void *self, const void *later)
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
	.load = load,
};
/* clang-format on */
