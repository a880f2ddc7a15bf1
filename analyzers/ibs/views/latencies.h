/* SPDX-License-Identifier: MIT */
/*
 * A histogram of latencies: one by one below 128 cycles, above it in 64 bins an octave, that is, at
 * most 1.6 % too low. Only bins that have something are there.
 */
#ifndef IBS_LATENCIES_H
#define IBS_LATENCIES_H

#include <stdint.h>

/* Zeroed, it is empty. */
struct latencies {
	uint64_t count, sum, max; /* cycles */
	unsigned n_bins, room;
	struct latency_bin {
		uint32_t from; /* the least cycles that it stands for; ascending */
		uint32_t samples;
	} * bins;
};

/* cycles: below 2^32. Memory that is out ends the process. */
void latencies_add(struct latencies *latencies, uint64_t cycles);
void latencies_free(struct latencies *latencies);

/* Returns the least cycles of the bin in which the given percentage of the samples is reached. */
uint64_t latencies_percentile(const struct latencies *latencies, double percentage);

/* Returns the mean, 0 of none. */
double latencies_mean(const struct latencies *latencies);

/* Returns the most cycles that a bin stands for. */
uint64_t latency_bin_to(const struct latency_bin *bin);

#endif
