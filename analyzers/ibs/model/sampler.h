/* SPDX-License-Identifier: MIT */
/*
 * Samplers. A sampler counts, and at its period tags an op, or a fetch. Until that op retires
 * nothing is counted. The next count is a little shorter or longer, by chance, so that loops do not
 * lock to the period.
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

/* The unit that is counted, and the op or fetch that is tagged. */
enum ibs_mode {
	IBS_OPS,         /* counts dispatched ops; tags the op that reaches the period */
	IBS_CYCLES_WAIT, /* counts cycles; tags an op of the next group that is dispatched */
	IBS_CYCLES_SKIP, /* cycles: the same, but only if that is within the window; else
				   none */
	IBS_N_OP_MODES,
	IBS_FETCHES = IBS_N_OP_MODES, /* counts fetches; tags the fetch that reaches the period */
	IBS_N_MODES,
};

/* The randomization of counts, which run from a first value to a last one. */
enum ibs_randomization {
	IBS_RANDOM_NONE,      /* first: 0; last: the period, unless stated otherwise */
	IBS_RANDOM_4,         /* first: 0 to 15, as the hardware does for fetches */
	IBS_RANDOM_7,         /* first: 1 to 127, as the hardware does for ops */
	IBS_RANDOM_12,        /* first: 0 to 4095, as OProfile does */
	IBS_RANDOM_MAX,       /* last: up to 2048 before or after the period, as OProfile did */
	IBS_RANDOM_ZERO_4,    /* first: a multiple of 16 below 128; loops can lock to these */
	IBS_RANDOM_UNIFORM,   /* last: from half the period to one and a half */
	IBS_RANDOM_GEOMETRIC, /* last: each op or cycle is equally likely */
	IBS_RANDOM_PRIME,     /* last: the next prime, not random */
	IBS_N_RANDOMIZATIONS,
};

/*
 * The op of a group that a sampler of cycles tags. Clamp and rr choose a number below `width`; in a
 * group with fewer ops they tag the last one.
 */
enum ibs_slot {
	IBS_SLOT_UNIFORM, /* each op is equally likely */
	IBS_SLOT_FIRST,
	IBS_SLOT_LAST,
	IBS_SLOT_CLAMP, /* a random number */
	IBS_SLOT_RR,    /* the next number at each tag */
	IBS_N_SLOTS,
};

struct ibs_sampler {
	enum ibs_mode mode;
	enum ibs_randomization randomization;
	uint64_t period;  /* ops, cycles, or fetches */
	uint64_t random;  /* state of the generator, at first the seed */
	uint64_t window;  /* cycles that IBS_CYCLES_SKIP waits for a group */
	uint64_t handler; /* cycles after a sample in which nothing is counted */
	enum ibs_slot slot;
	uint32_t width;        /* ops in the largest groups */
	uint64_t skipped;      /* counts that ended without an op */
	uint64_t killed;       /* counts that ended with an op of a wrong path */
	uint64_t preload, end; /* the first and the last value of the present count */
	uint64_t count;        /* the present value, unless cycles are counted */
	uint64_t expires;      /* if cycles are counted: the cycle of the last value */
	uint64_t busy_until;   /* the first cycle in which the sampler may count again */
	bool tagged;
	uint64_t group;      /* cycle of the tagged op's group */
	uint32_t group_size; /* ops of that group so far */
	uint32_t chosen;     /* clamp and rr: number of the op to be tagged */
};

/* Begins to count at cycle 0. */
void ibs_sampler_start(struct ibs_sampler *sampler);

/* Returns true if the op tagged last is final, now that the next op is dispatched at `cycle`. */
static inline bool ibs_sampler_decided(const struct ibs_sampler *sampler, uint64_t cycle)
{
	return sampler->tagged && (sampler->mode == IBS_OPS || cycle > sampler->group);
}

/* Ends the tagged op or fetch: it retires, or has its bytes, at a cycle. The next count begins. */
void ibs_sampler_retired(struct ibs_sampler *sampler, uint64_t cycle);

/*
 * Handles an op that is dispatched at a cycle after a cycle count was reached; see
 * ibs_sampler_dispatched.
 */
bool ibs_sampler_expired(struct ibs_sampler *sampler, uint64_t cycle);

/*
 * Handles an op that is dispatched at a cycle. Returns true if it is tagged; it then replaces an
 * earlier one that is not final.
 */
static inline bool ibs_sampler_dispatched(struct ibs_sampler *sampler, uint64_t cycle)
{
	if (cycle < sampler->busy_until)
		return false;
	if (sampler->mode == IBS_OPS)
		return sampler->tagged = ++sampler->count >= sampler->end;
	return cycle >= sampler->expires && ibs_sampler_expired(sampler, cycle);
}

/* Handles a fetch that begins at a cycle. Returns true if it is tagged. */
static inline bool ibs_sampler_fetched(struct ibs_sampler *sampler, uint64_t cycle)
{
	if (cycle < sampler->busy_until)
		return false;
	return sampler->tagged = ++sampler->count >= sampler->end;
}

/* The ops that are dispatched after a mispredicted branch until the branch is executed. */
struct ibs_wrong_path {
	uint64_t first, resolved; /* cycles: of its first ops, and after its last ones */
	uint64_t width, n_ops;    /* ops a cycle, and in all at most */
};

/*
 * Handles the ops of a wrong path. If one is tagged, it never retires: there is no sample, and the
 * next count begins at a random number of 7 bits, as the hardware does it.
 */
void ibs_sampler_wrong_path(struct ibs_sampler *sampler, const struct ibs_wrong_path *path);

/*
 * Returns how many ops, or fetches, can be counted before one is tagged. 0: unknown, or one is
 * tagged now.
 */
static inline uint64_t ibs_sampler_left(const struct ibs_sampler *sampler)
{
	bool counts = sampler->mode == IBS_OPS || sampler->mode == IBS_FETCHES;

	return counts && !sampler->tagged ? sampler->end - sampler->count - 1 : 0;
}

/* Names of modes: "ops", "hw7", ... */
extern const char *const ibs_mode_names[IBS_N_MODES];
extern const char *const ibs_randomization_names[IBS_N_RANDOMIZATIONS];

#endif
