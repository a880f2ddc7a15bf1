/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/pack_study.h"

enum {
	N_BURSTS = 3,
	N_SAMPLES = N_BURSTS * BURST,
	MIN_TRIAL_BITS = 6, /* of a candidate's own table */
	MAX_TRIAL_BITS = 13,
};

static void add(struct study *study, struct predictor p, bool shared)
{
	if (study->n_candidates < N_CANDIDATES)
		study->candidates[study->n_candidates++] = (struct candidate){ p, shared, NULL };
}

static void add_follow(struct study *study, uint32_t other, int8_t shift)
{
	add(study, (struct predictor){ .kind = PREDICT_FOLLOW, .shift = shift, .key = other },
	    false);
}

static void add_table(struct study *study, uint32_t key, uint32_t second, uint32_t base)
{
	add(study,
	    (struct predictor){
		    .kind = PREDICT_TABLE, .key = key, .second_key = second, .base = base },
	    false);
}

/* Predictors of one family share a table: unrolled loops have the same operand several times. */
static void add_shared(struct study *study, uint8_t kind, uint32_t key, uint32_t second,
		       uint32_t family)
{
	add(study,
	    (struct predictor){ .kind = kind,
				.key = key,
				.second_key = second,
				.base = TF_NONE,
				.family = family },
	    true);
}

static void add_candidates(struct study *study, uint32_t own, const uint32_t *partners,
			   unsigned n_partners)
{
	add(study, (struct predictor){ .kind = PREDICT_STRIDE }, false);
	add_table(study, own, TF_NONE, TF_NONE);
	add_table(study, own, TF_NONE, own);
	for (uint32_t i = 0; i < n_partners; i++) {
		uint32_t p = partners[i];
		uint32_t next = i + 1 < n_partners ? partners[i + 1] : own;

		for (int8_t k = 0; k <= MAX_FOLLOW_SHIFT; k++) {
			add_follow(study, p, k);
			if (k)
				add_follow(study, p, (int8_t)-k);
		}
		add_table(study, p, TF_NONE, TF_NONE);
		add_table(study, p, TF_NONE, own);
		add_table(study, p, TF_NONE, p);
		add_table(study, p, own, TF_NONE);
		add_table(study, p, own, own);
		add(study,
		    (struct predictor){ .kind = PREDICT_COUNTER, .key = p, .second_key = TF_NONE },
		    false);
		add_shared(study, PREDICT_TABLE, p, TF_NONE, 4 * i);
		add_shared(study, PREDICT_COUNTER, p, TF_NONE, 4 * i + 1);
		add_shared(study, PREDICT_TABLE, p, next, 4 * i + 2);
	}
}

static bool needs_table(const struct candidate *c)
{
	return !c->shared &&
	       (c->predictor.kind == PREDICT_TABLE || c->predictor.kind == PREDICT_COUNTER);
}

struct study *study_new(uint32_t group, uint64_t executions, const uint32_t *partners,
			unsigned n_partners)
{
	struct study *study = calloc(1, sizeof(*study));
	size_t n = 0;

	if (!study)
		return NULL;
	study->trial_bits = MIN_TRIAL_BITS;
	while (study->trial_bits < MAX_TRIAL_BITS && UINT64_C(1) << study->trial_bits < executions)
		study->trial_bits++;
	study->period = executions / N_BURSTS + 1;
	if (study->period < BURST)
		study->period = BURST;
	add_candidates(study, group, partners, n_partners);
	study->samples = malloc(N_SAMPLES * sizeof(*study->samples));
	for (unsigned i = 0; i < study->n_candidates; i++)
		n += needs_table(&study->candidates[i]);
	study->tables = calloc(n << study->trial_bits, sizeof(*study->tables));
	if (!study->samples || !study->tables) {
		free(study->samples);
		free(study->tables);
		free(study);
		return NULL;
	}
	for (unsigned i = 0; i < study->n_candidates; i++)
		if (needs_table(&study->candidates[i]))
			study->candidates[i].table = study->tables + (--n << study->trial_bits);
	return study;
}

void study_free(struct study *study)
{
	if (!study)
		return;
	free(study->samples);
	free(study->tables);
	free(study);
}

/* ---- the choice --------------------------------------------------------------------------- */

/* Returns the candidate that is right most often among the samples left; *hits: how often. */
static unsigned best_candidate(const struct study *study, uint32_t *hits)
{
	uint32_t counts[2 * 64] = { 0 };
	unsigned best = 0;

	for (uint32_t i = 0; i < study->n_samples; i++)
		for (unsigned k = 0; k < 2; k++)
			for (uint64_t m = study->samples[i].right[k]; m; m &= m - 1)
				counts[64 * k + (unsigned)__builtin_ctzll(m)]++;
	for (unsigned i = 1; i < study->n_candidates; i++)
		if (counts[i] > counts[best])
			best = i;
	*hits = counts[best];
	return best;
}

/* Removes the samples that the candidate predicts. */
static void drop_foreseen(struct study *study, unsigned candidate)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < study->n_samples; i++)
		if (!(study->samples[i].right[candidate / 64] >> candidate % 64 & 1))
			study->samples[left++] = study->samples[i];
	study->n_samples = left;
}

/* Returns about the binary logarithm, in units of 1/256. */
static uint64_t log2_of(uint32_t v)
{
	unsigned whole = 31 - (unsigned)__builtin_clz(v);

	return whole << 8 | (v << (31 - whole) >> 23 & 255);
}

/*
 * Returns about the bits, in units of 1/256, that the numbers' bytes take, with separate
 * frequencies for each byte position.
 */
static uint64_t bytes_cost(const struct study *study, bool absolute)
{
	uint32_t counts[8][256] = { { 0 } }, totals[8] = { 0 };
	uint64_t cost = 0;

	for (uint32_t i = 0; i < study->n_samples; i++) {
		const struct sample *e = &study->samples[i];
		uint64_t change = zigzag((int64_t)(e->value - e->last));
		uint64_t number = absolute ? e->value : change;
		unsigned n = bytes_of_number(absolute ? e->value ^ e->last : change);

		for (unsigned k = 0; k < n; k++) {
			uint8_t byte = number >> 8 * k & 255;

			cost += log2_of(4 * totals[k] + 256) - log2_of(4 * counts[k][byte] + 1);
			counts[k][byte]++;
			totals[k]++;
		}
	}
	return cost;
}

void study_choose(struct study *study, struct slot_group *g, uint32_t group)
{
	uint32_t enough = study->n_samples / 100 + 4, hits;

	g->count = 0;
	while (g->count < MAX_PREDICTORS) {
		unsigned best = best_candidate(study, &hits);
		struct predictor *p = &g->predictors[g->count];

		if (hits < enough)
			break;
		*p = study->candidates[best].predictor;
		if (!study->candidates[best].shared)
			p->family = FIRST_PRIVATE + group * MAX_PREDICTORS + g->count;
		g->count++;
		drop_foreseen(study, best);
	}
	g->absolute = bytes_cost(study, true) < bytes_cost(study, false);
}
