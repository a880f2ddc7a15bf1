/* SPDX-License-Identifier: MIT */
/*
 * Samplers of ops. One counts, and at its period tags an op; until that retires, nothing is
 * counted. The count then begins at a random number, so that loops do not lock to the period.
 *
 *	if (ibs_sampler_decided(sampler, cycle))
 *		... sample the op that was tagged last, and
 *		ibs_sampler_retired(sampler, when that op retires);
 *	if (ibs_sampler_dispatched(sampler, cycle))
 *		... this op is tagged, keep it
 */
#ifndef IBS_SAMPLER_H
#define IBS_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

/* What is counted, and what is tagged. */
enum ibs_mode {
	IBS_OPS,	/* dispatched ops: the one that reaches the period */
	IBS_CYCLES_WAIT,	/* cycles: any op of the next group that is dispatched */
	IBS_CYCLES_SKIP,	/* cycles: the same, but only if that is at once; else none */
	IBS_N_MODES,
};

/* Where counts begin. */
enum ibs_randomization {
	IBS_RANDOM_NONE,	/* 0 */
	IBS_RANDOM_4,		/* 0 to 15 */
	IBS_RANDOM_7,		/* 1 to 127, as the hardware does in its op counting mode */
	IBS_N_RANDOMIZATIONS,
};

struct ibs_sampler {
	enum ibs_mode mode;
	enum ibs_randomization randomization;
	uint64_t period;	/* ops or cycles; more than what counts may begin at */
	uint64_t random;	/* state of the generator, at first the seed */
	uint64_t skipped;	/* counts that ended without an op */
	uint64_t preload;	/* where the count under way began */
	uint64_t count;		/* IBS_OPS */
	uint64_t expires;	/* else: the cycle in which the period is reached */
	uint64_t busy_until;	/* a cycle */
	bool tagged;
	uint64_t group;		/* cycle of the tagged op's group, */
	uint32_t group_size;	/* and how many ops of it there were so far */
};

/* Begins to count at cycle 0. */
void ibs_sampler_start(struct ibs_sampler *sampler);

/* Whether the op tagged last is the one, now that the next op is dispatched at `cycle`. */
static inline bool ibs_sampler_decided(const struct ibs_sampler *sampler, uint64_t cycle)
{
	return sampler->tagged && (sampler->mode == IBS_OPS || cycle > sampler->group);
}

/* The tagged op retires at a cycle, and is no longer tagged; the next count begins. */
void ibs_sampler_retired(struct ibs_sampler *sampler, uint64_t cycle);

/* An op is dispatched at a cycle, after a cycle count was reached; see ibs_sampler_dispatched. */
bool ibs_sampler_expired(struct ibs_sampler *sampler, uint64_t cycle);

/* An op is dispatched at a cycle. Returns true if it is tagged, instead of an earlier one if
 * that is not decided. */
static inline bool ibs_sampler_dispatched(struct ibs_sampler *sampler, uint64_t cycle)
{
	if (cycle < sampler->busy_until)
		return false;
	if (sampler->mode == IBS_OPS)
		return sampler->tagged = ++sampler->count >= sampler->period;
	return cycle >= sampler->expires && ibs_sampler_expired(sampler, cycle);
}

/* "ops", "hw7", ... */
extern const char *const ibs_mode_names[IBS_N_MODES];
extern const char *const ibs_randomization_names[IBS_N_RANDOMIZATIONS];

#endif
