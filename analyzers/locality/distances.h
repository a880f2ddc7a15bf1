/* SPDX-License-Identifier: MIT */
/*
 * How often each stack distance occurred. Distances below 2^16 are counted one by one, larger ones
 * in 64 bins an octave, so that powers of two are always limits of bins.
 */
#ifndef LOCALITY_DISTANCES_H
#define LOCALITY_DISTANCES_H

#include <stddef.h>
#include <stdint.h>

enum {
	EXACT_BITS = 16,
	EXACT_BINS = 1 << EXACT_BITS,
	OCTAVE_BITS = 6,
	OCTAVE_BINS = 1 << OCTAVE_BITS,
	DISTANCE_BINS = EXACT_BINS + (32 - EXACT_BITS) * OCTAVE_BINS,
	MICA_BUCKETS = 19, /* 0 and 1; 2^k to 2^(k+1) - 1; 2^18 and more */
};

enum { MAX_CACHES = 64 };

struct distances {
	uint64_t touches, cold;
	uint64_t bins[DISTANCE_BINS];
	uint32_t n_bins; /* those from here on are 0 */
	unsigned n_caches;
	struct distances_cache { /* fully associative, LRU */
		uint64_t blocks;
		uint64_t far; /* distances of so many and more that are not counted one by one */
	} caches[MAX_CACHES];
};

/* Counts distances, except LRU_COLD. */
void distances_add(struct distances *to, const uint32_t *distances, size_t count);

/* Adds the counts of `from`, which must have the same caches. */
void distances_merge(struct distances *to, const struct distances *from);
void distances_clear(struct distances *distances);

/* Returns the smallest distance that a bin counts; for DISTANCE_BINS, 2^32. */
uint64_t distances_of_bin(uint32_t bin);

/* Adds a cache whose misses are wanted; call it before adding distances. */
void distances_add_cache(struct distances *distances, uint64_t blocks);

/*
 * Returns how many touches miss in a cache, which is numbered in the order of adding: cold ones,
 * and those whose distance is its size or more.
 */
uint64_t distances_misses(const struct distances *distances, unsigned cache);

/* Fills in how often distances were in each of MICA's buckets. */
void distances_to_buckets(const struct distances *distances, uint64_t buckets[MICA_BUCKETS]);

/* Returns the bucket of a distance. */
static inline unsigned mica_bucket(uint64_t distance)
{
	unsigned log2 = distance < 2 ? 0 : 63 - __builtin_clzll(distance);

	return log2 < MICA_BUCKETS ? log2 : MICA_BUCKETS - 1;
}

#endif
