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

/* For samples in order: how many have the instruction of the sample `lag` before them. */
struct ibs_repeats {
	uint64_t samples;
	uint64_t recent[IBS_MOST_LAG]; /* addresses, by the sample's number modulo IBS_MOST_LAG */
	uint64_t same[IBS_MOST_LAG];   /* by lag - 1 */
};

/* Zeroed, it is empty. */
struct ibs_regularity {
	struct ibs_repeats samples;
	struct ibs_repeats reference; /* of a sampler of random intervals beside it, if any */
	double sum, sum_of_squares;   /* of the intervals before samples */
};

/* The shortest of the lags with the most repeats, compared with the expected share. */
struct ibs_locking {
	unsigned lag;    /* 0: there are not two samples */
	double share;    /* of repeats among the samples, 0 to 1 */
	double expected; /* NAN: not known */
	bool locked;     /* far more than expected, and than chance explains */
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
