/* SPDX-License-Identifier: MIT */
/*
 * The sampler of ops: it counts dispatched ops and tags the one that reaches the period; until that
 * retires, nothing is counted. The count then begins at a random number, so that loops do not lock
 * to the period.
 */
#ifndef IBS_SAMPLER_H
#define IBS_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

/* Where counts begin. */
enum ibs_randomization {
	IBS_RANDOM_NONE,	/* 0 */
	IBS_RANDOM_4,		/* 0 to 15 */
	IBS_RANDOM_7,		/* 1 to 127, as the hardware does in its op counting mode */
};

struct ibs_sampler {
	uint64_t period;	/* ops; more than what counts may begin at */
	enum ibs_randomization randomization;
	uint64_t random;	/* state of the generator, at first the seed */
	uint64_t count, preload;	/* preload: where the count under way began */
	uint64_t busy_until;	/* a cycle */
};

/* Begins to count. */
void ibs_sampler_start(struct ibs_sampler *sampler);

/* An op is dispatched at a cycle. Returns true if it is tagged: then tell ibs_sampler_retired. */
static inline bool ibs_sampler_dispatched(struct ibs_sampler *sampler, uint64_t cycle)
{
	return cycle >= sampler->busy_until && ++sampler->count >= sampler->period;
}

/* The tagged op retires at a cycle; the next count begins. */
void ibs_sampler_retired(struct ibs_sampler *sampler, uint64_t cycle);

#endif
