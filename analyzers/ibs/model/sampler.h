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

/* The unit that is counted, and the one that is tagged. */
enum ibs_mode {
	IBS_OPS,         /* dispatched ops: the one that reaches the period */
	IBS_CYCLES_WAIT, /* cycles: any op of the next group that is dispatched */
	IBS_CYCLES_SKIP, /* cycles: the same, but only if that is within the window; else
				   none */
	IBS_N_OP_MODES,
	IBS_FETCHES = IBS_N_OP_MODES, /* fetches: the one that reaches the period */
	IBS_N_MODES,
};

/* The randomization of counts: where they begin, or where they end. */
enum ibs_randomization {
	IBS_RANDOM_NONE,      /* from 0 to the period */
	IBS_RANDOM_4,         /* from 0 to 15, as the hardware does for fetches */
	IBS_RANDOM_7,         /* from 1 to 127, as the hardware does for ops */
	IBS_RANDOM_12,        /* from 0 to 4095, as OProfile does */
	IBS_RANDOM_MAX,       /* up to 2048 before or after the period, as OProfile did */
	IBS_RANDOM_ZERO_4,    /* from multiples of 16 below 128: what loops can lock to */
	IBS_RANDOM_UNIFORM,   /* to anything from half the period to one and a half */
	IBS_RANDOM_GEOMETRIC, /* each op, or cycle, is as likely */
	IBS_RANDOM_PRIME,     /* to the next prime, always */
	IBS_N_RANDOMIZATIONS,
};

/* Which op of a group cycles tag. The last two choose one of `width`, or of fewer the last. */
enum ibs_slot {
	IBS_SLOT_UNIFORM, /* each is as likely */
	IBS_SLOT_FIRST,
	IBS_SLOT_LAST,
	IBS_SLOT_CLAMP, /* by chance */
	IBS_SLOT_RR,    /* one after the other, from tag to tag */
	IBS_N_SLOTS,
};

struct ibs_sampler {
	enum ibs_mode mode;
	enum ibs_randomization randomization;
	uint64_t period;  /* ops, cycles, or fetches */
	uint64_t random;  /* state of the generator, at first the seed */
	uint64_t window;  /* cycles that IBS_CYCLES_SKIP waits for a group */
	uint64_t handler; /* cycles behind a sample that are not counted, nor what they
				   have */
	enum ibs_slot slot;
	uint32_t width;        /* of the largest groups */
	uint64_t skipped;      /* counts that ended without an op, */
	uint64_t killed;       /* and with one of a wrong path */
	uint64_t preload, end; /* where the count under way began, and where it ends */
	uint64_t count;        /* unless cycles are counted */
	uint64_t expires;      /* else: the cycle in which the end is reached */
	uint64_t busy_until;   /* a cycle */
	bool tagged;
	uint64_t group;      /* cycle of the tagged op's group, */
	uint32_t group_size; /* how many ops of it there were so far, */
	uint32_t chosen;     /* and the last that may be tagged: clamp and rr */
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
	uint64_t first, resolved; /* cycles: of its first ops, and behind its last ones */
	uint64_t width, n_ops;    /* ops a cycle, and in all at most */
};

/*
 * Handles the ops of a wrong path. If one is tagged, it never retires: there is no sample, and the
 * next count begins at a random number of 7 bits, as the hardware does it.
 */
void ibs_sampler_wrong_path(struct ibs_sampler *sampler, const struct ibs_wrong_path *path);

/* Returns true if `n` more counted ones from a cycle on will be too few to tag one. */
static inline bool ibs_sampler_is_far(const struct ibs_sampler *sampler, uint64_t n, uint64_t cycle)
{
	return (sampler->mode == IBS_OPS || sampler->mode == IBS_FETCHES) && !sampler->tagged &&
	       cycle >= sampler->busy_until && sampler->count + n < sampler->end;
}

/* Names of modes: "ops", "hw7", ... */
extern const char *const ibs_mode_names[IBS_N_MODES];
extern const char *const ibs_randomization_names[IBS_N_RANDOMIZATIONS];

#endif
