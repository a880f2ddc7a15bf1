/* SPDX-License-Identifier: MIT */
/*
 * A histogram of latencies of 16 bits: one by one below 128 cycles, above it in 64 bins an octave,
 * that is, at most 1.6 % too low.
 */
#ifndef IBS_LATENCIES_H
#define IBS_LATENCIES_H

#include <stdint.h>

enum {
	LATENCY_EXACT = 128, LATENCY_OCTAVE = 64,
	LATENCY_BINS = LATENCY_EXACT + (16 - 7) * LATENCY_OCTAVE,
};

struct latencies {
	uint64_t count, sum, max;	/* cycles */
	uint32_t bins[LATENCY_BINS];
};

/* cycles: below 65536. */
void latencies_add(struct latencies *latencies, uint64_t cycles);
void latencies_merge(struct latencies *to, const struct latencies *from);

/* Returns the least cycles of the bin in which the given percentage of the samples is reached. */
uint64_t latencies_percentile(const struct latencies *latencies, double percentage);

/* Returns the mean, 0 of none. */
double latencies_mean(const struct latencies *latencies);

/* Returns the least cycles that a bin, or LATENCY_BINS, stands for. */
uint64_t latency_of_bin(unsigned bin);

#endif
