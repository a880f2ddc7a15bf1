/* SPDX-License-Identifier: MIT */
/*
 * True profiles of a program's instructions, by executions and by time, and the distances of
 * samplers' profiles from these.
 *
 * Time is charged as by the oracle of B. Gottschall et al., "TIP: Time-Proportional Instruction
 * Profiling", MICRO 2021: a cycle to the ops that retire in it, equally; else to the oldest op
 * under way; else, if a mispredicted branch has emptied the pipeline, to that; else to the next op.
 */
#ifndef IBS_PROFILES_H
#define IBS_PROFILES_H

#include "analyzers/ibs/model/pipeline.h"
#include "analyzers/ibs/model/sampler.h"

enum { IBS_MAX_RETIRE_WIDTH = 64, IBS_N_OBSERVERS = IBS_N_OP_MODES * IBS_N_RANDOMIZATIONS };

/* Counts by static instruction, summed over all threads. */
struct ibs_profiles {
	size_t n_insns, n_executed;
	/*
	 * The n_executed instructions that have executed, in the order of their first executions.
	 */
	uint32_t *executed;
	double *executions, *ops, *cycles;
	double *samples[IBS_N_OBSERVERS];
	struct ibs_tally {
		uint64_t samples, skipped, killed;
		uint64_t dead_cycles; /* in which an op is tagged or the handler runs */
	} tallies[IBS_N_OBSERVERS];
};

/* Initializes profiles of n_insns instructions. Ends the process if memory is out. */
void ibs_profiles_init(struct ibs_profiles *profiles, size_t n_insns);
void ibs_profiles_free(struct ibs_profiles *profiles);

/* Sets all counts to 0. */
void ibs_profiles_clear(struct ibs_profiles *profiles);

/*
 * Adds the counts of each executed instruction of `from` to the place groups[instruction] of `to`,
 * in the order of their first executions: rounded sums do not depend on the instructions' numbers.
 */
void ibs_profiles_add(struct ibs_profiles *to, const struct ibs_profiles *from,
		      const uint32_t *groups);

/* The observers of one thread's ops. */
struct ibs_observers {
	struct ibs_profiles *profiles;
	const struct machine *wrong_paths; /* whose ops of these count; NULL: none do */
	struct ibs_observer {
		struct ibs_sampler sampler;
		uint32_t insn;                /* the tagged instruction */
		uint64_t dispatched, retired; /* the cycles in which it is */
	} all[IBS_N_OBSERVERS];               /* mode * IBS_N_RANDOMIZATIONS + randomization */
	uint64_t next_cycle;                  /* all cycles before it are charged, except the
					   one of `retiring` */
	uint32_t n_retiring, retiring[IBS_MAX_RETIRE_WIDTH]; /* in cycle next_cycle - 1 */
	uint32_t last;                                       /* the last op's instruction */
	bool redirected;                                     /* the last op was mispredicted */
};

/*
 * Initializes observers. Each sampler is a copy of `like`, which has not started, with another mode
 * and randomization.
 */
void ibs_observers_init(struct ibs_observers *observers, struct ibs_profiles *profiles,
			const struct ibs_sampler *like);

/* Observes an executed op. */
void ibs_observers_step(struct ibs_observers *observers, const struct ibs_op *op,
			const struct ibs_timing *timing);

/* Ends observation, after the last op. */
void ibs_observers_end(struct ibs_observers *observers);

/* Returns the total variation distance of two profiles of any totals, 0 to 1. */
double ibs_distance(const double *a, const double *b, size_t count);

enum { IBS_MOST_RECOVERED = 16 };

/*
 * Returns the part of the `most` (up to IBS_MOST_RECOVERED) largest values of a true profile that
 * are at the places of as many largest of `a`; both have values that are not 0. Of equal ones the
 * first are taken.
 */
double ibs_recovered(const double *a, const double *truth, size_t count, unsigned most);

/* Returns the mean distance from a profile of n random samples of it. */
double ibs_expected_distance(const double *profile, size_t count, uint64_t n);

#endif
