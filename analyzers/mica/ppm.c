/* SPDX-License-Identifier: MIT */
/*
 * Branch predictability: mispredictions of conditional branches by prediction by partial matching,
 * with the history of all branches (G) or of the one (P), and one table for all (g) or one for each
 * (s): GAg, PAg, GAs, PAs, for three lengths of history.
 *
 * A GAg or PAg predictor has a table of counters for each order, the number of outcomes it goes by,
 * from 0 to the length; the longest order whose counter has been set predicts, and it and the
 * longer ones learn. The tables of one branch begin set, so that their longest order always predicts: GAs
 * and PAs have that alone.
 *
 * Numbers: mispredictions, for each length those of GAg, PAg, GAs, PAs; branches executed; for each
 * static branch the rarer of going the way it went before and of changing, summed up, and likewise
 * the rarer of taken and not taken. Cost: 8.7 KB a static branch that executes; at most the orders
 * of 6 tables a branch.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"

enum { MOST = 127, KINDS = 4, GAG = 0, PAG, GAS, PAS };

struct branch {
	uint64_t history;
	uint64_t executed, taken, changed;	/* in the interval */
	int8_t *own[MICA_PPM_LENGTHS][2];	/* GAs, PAs; NULL before it executes */
	int8_t last;		/* direction + 1; 0: none yet */
};

struct ppm {
	const struct mica_setup *setup;
	uint64_t history;
	int8_t *shared[MICA_PPM_LENGTHS][2];	/* GAg, PAg: order i from 2^i - 1 */
	uint64_t wrong[MICA_PPM_LENGTHS][KINDS];
	struct branch *branches;
};

static void *start(const struct mica_setup *setup)
{
	struct ppm *p = mica_alloc(1, sizeof(*p));

	p->setup = setup;
	p->branches = mica_alloc(setup->numbers.branches, sizeof(*p->branches));
	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < 2; k++)
			p->shared[l][k] = mica_alloc(2u << setup->ppm_lengths[l], 1);
	return p;
}

static void stop(void *self)
{
	struct ppm *p = self;

	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < 2; k++)
			free(p->shared[l][k]);
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++)
		free(p->branches[b].own[0][0]);
	free(p->branches);
	free(p);
}

/* One allocation for the tables of a branch, all counters -1. */
static void make_own(const struct ppm *p, struct branch *branch)
{
	size_t size = 0;

	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		size += (size_t)2 << p->setup->ppm_lengths[l];
	int8_t *next = mica_alloc(size, 1);

	memset(next, -1, size);
	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++)
		for (unsigned k = 0; k < 2; k++) {
			branch->own[l][k] = next;
			next += (size_t)1 << p->setup->ppm_lengths[l];
		}
}

static void learn(int8_t *counter, bool taken)
{
	int value = *counter + (taken ? 1 : -1);

	if (value == 0)
		value = taken ? 1 : -1;
	if (value >= -MOST && value <= MOST)
		*counter = value;
}

/* Return whether the prediction was wrong. */
static bool run_shared(int8_t *table, unsigned length, uint64_t history, bool taken)
{
	unsigned order = length;
	int8_t *counter;

	for (;;) {
		counter = table + (1u << order) - 1 + (history & ((1u << order) - 1));
		if (*counter || !order)
			break;
		order--;
	}
	bool wrong = (*counter > 0) != taken;

	for (; order <= length; order++)
		learn(table + (1u << order) - 1 + (history & ((1u << order) - 1)), taken);
	return wrong;
}

static bool run_own(int8_t *table, unsigned length, uint64_t history, bool taken)
{
	int8_t *counter = &table[history & ((1u << length) - 1)];
	bool wrong = (*counter > 0) != taken;

	learn(counter, taken);
	return wrong;
}

static void execute(struct ppm *p, struct branch *branch, bool taken)
{
	if (!branch->own[0][0])
		make_own(p, branch);
	for (unsigned l = 0; l < MICA_PPM_LENGTHS; l++) {
		unsigned length = p->setup->ppm_lengths[l];
		uint64_t *wrong = p->wrong[l];

		wrong[GAG] += run_shared(p->shared[l][0], length, p->history, taken);
		wrong[PAG] += run_shared(p->shared[l][1], length, branch->history, taken);
		wrong[GAS] += run_own(branch->own[l][0], length, p->history, taken);
		wrong[PAS] += run_own(branch->own[l][1], length, branch->history, taken);
	}
	branch->executed++;
	branch->taken += taken;
	branch->changed += branch->last && branch->last != taken + 1;
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

static uint64_t rarer(uint64_t count, uint64_t all)
{
	return count < all - count ? count : all - count;
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct ppm *p = self;
	uint64_t *tail = numbers + MICA_PPM_LENGTHS * KINDS;

	(void)last;
	memcpy(numbers, p->wrong, sizeof(p->wrong));
	memset(p->wrong, 0, sizeof(p->wrong));
	tail[0] = tail[1] = tail[2] = 0;
	for (uint32_t b = 0; b < p->setup->numbers.branches; b++) {
		struct branch *branch = &p->branches[b];

		tail[0] += branch->executed;
		tail[1] += rarer(branch->changed, branch->executed);
		tail[2] += rarer(branch->taken, branch->executed);
		branch->executed = branch->changed = branch->taken = 0;
	}
	return MICA_PPM_LENGTHS * KINDS + 3;
}

const struct mica_analysis mica_ppm = { start, feed, NULL, end, stop };
