/* SPDX-License-Identifier: MIT */
/*
 * The study of one group: candidates for its predictors, which are built from the groups that were
 * executed shortly before it, and the values that they would have predicted.
 */
#ifndef PACK_STUDY_H
#define PACK_STUDY_H

#include "traceformat/pack/pack_slots.h"

enum {
	N_CANDIDATES = 128,
	BURST = 6000,       /* executions in a row on which candidates are tried */
	FIRST_PRIVATE = 64, /* families below are shared by groups */
};

struct candidate {
	struct predictor predictor;
	bool shared;
	uint64_t *table; /* NULL if shared, or not needed */
};

struct sample {
	uint64_t right[2]; /* bit i: candidate i is */
	uint64_t value, last;
};

struct study {
	unsigned n_candidates;
	struct candidate candidates[N_CANDIDATES];
	uint64_t *tables;
	unsigned trial_bits; /* size of each */
	struct sample *samples;
	uint32_t n_samples;
	uint64_t executions, period; /* so far; from the start of a burst to that of the next */
};

/*
 * Creates a study. executions: the number of the group's; partners: the groups before it, the most
 * frequent ones first. Returns NULL if memory is out.
 */
struct study *study_new(uint32_t group, uint64_t executions, const uint32_t *partners,
			unsigned n_partners);
void study_free(struct study *study);

/*
 * Chooses the group's predictors: each candidate that predicts most of the values that earlier ones
 * miss.
 */
void study_choose(struct study *study, struct slot_group *g, uint32_t group);

#endif
