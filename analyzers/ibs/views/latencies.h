/* SPDX-License-Identifier: MIT */
/*
 * A histogram of latencies. Below 128 cycles each number of cycles has a bin; above, each octave
 * has 64 bins, so that a percentile is at most 1.6 % too low. Only bins with samples are stored.
 */
#ifndef IBS_LATENCIES_H
#define IBS_LATENCIES_H

#include <stdint.h>

#include "traceformat/common/array.h"

struct latency_bin {
	uint32_t from; /* the least latency of the bin, cycles; ascending */
	uint32_t samples;
};

/* A histogram; a zeroed one is empty. */
struct latencies {
	uint64_t count, sum, max; /* cycles */
	ARRAY(struct latency_bin) bins;
};

/* Adds a latency below 2^32 cycles. Ends the process if memory is out. */
void latencies_add(struct latencies *latencies, uint64_t cycles);
void latencies_free(struct latencies *latencies);

/* Returns the least cycles of the bin in which the given percentage of the samples is reached. */
uint64_t latencies_percentile(const struct latencies *latencies, double percentage);

/* Returns the mean, or 0 if there are no latencies. */
double latencies_mean(const struct latencies *latencies);

/* Returns the greatest number of cycles in a bin. */
uint64_t latency_bin_to(const struct latency_bin *bin);

#endif
