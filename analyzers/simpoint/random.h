/* SPDX-License-Identifier: MIT */
/*
 * The random numbers of SimPoint 3.2: L'Ecuyer's generator, two multiplicative congruential
 * ones combined (Communications of the ACM 31, 1988), with the shuffle of Bays and Durham (ACM
 * TOMS 2, 1976).
 */
#ifndef SIMPOINT_RANDOM_H
#define SIMPOINT_RANDOM_H

#include <stdint.h>

enum { RANDOM_SHUFFLE = 32 };

struct random {
	int64_t first, second; /* the two generators */
	int64_t last;          /* output of the shuffle */
	int64_t shuffle[RANDOM_SHUFFLE];
};

/* seed: 0 .. RANDOM_MAX_SEED. As in SimPoint 3.2, 1 leaves the shuffle empty, and what 1 should do
 * is done for 0. */
enum { RANDOM_MAX_SEED = 2147483562 };
void random_seed(struct random *random, uint32_t seed);

/* Returns the next number between 0 and 1, both excluded. */
float random_unit(struct random *random);

/* Returns the next integer, 0 .. 2^31 - 1. */
uint32_t random_integer(struct random *random);

#endif
