/* SPDX-License-Identifier: MIT */
/*
 * The quality of one sampler's samples: their effective number if their intervals differ, and
 * whether the intervals are in step with a loop of the program, so that the same few instructions
 * of it are sampled again and again ("locked").
 */
#ifndef IBS_REGULARITY_H
#define IBS_REGULARITY_H

#include <stdbool.h>
#include <stdint.h>

enum { IBS_MOST_LAG = 16 };

/*
 * Counts, by lag, the samples of the same instruction as the sample that is `lag` samples earlier.
 */
struct ibs_repeats {
	uint64_t samples;
	uint64_t recent
		[IBS_MOST_LAG]; /* addresses of the last samples, by their numbers modulo IBS_MOST_LAG */
	uint64_t same[IBS_MOST_LAG]; /* repeats, by lag - 1 */
};

/* The regularity of a sampler; a zeroed struct is empty. */
struct ibs_regularity {
	struct ibs_repeats samples;
	struct ibs_repeats
		reference; /* of a sampler with random intervals in the same run; may be empty */
	double sum, sum_of_squares; /* of the intervals between samples */
};

/* The lag with the most repeats, and of several the shortest, compared with the expected share. */
struct ibs_locking {
	unsigned lag;    /* 0: there are fewer than two samples */
	double share;    /* of repeats at that lag, 0 to 1 */
	double expected; /* NAN: not known */
	bool locked;     /* the share exceeds the expected one by more than chance explains */
};

/* Adds a sample of the instruction at an address. */
void ibs_repeats_add(struct ibs_repeats *repeats, uint64_t pc);

/* Adds a sample of a sampler, with the count since its previous sample; 0: not known. */
void ibs_regularity_add(struct ibs_regularity *regularity, uint64_t pc, uint64_t interval);

/*
 * Returns the effective sample size: how many samples of equal weight are worth as much as all
 * samples, each weighted by its interval: (sum w)^2 / sum w^2, Kish's formula of 1965. Returns NAN
 * if intervals are not known.
 */
double ibs_regularity_effective(const struct ibs_regularity *regularity);

/*
 * Compares with the reference at the same lag, or, without a reference, with the mean of the lags
 * that are no multiples of it. In the latter case a loop in which only one instruction is sampled
 * is not found.
 */
struct ibs_locking ibs_regularity_locking(const struct ibs_regularity *regularity);

#endif
