/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/distances.h"

#include <assert.h>
#include <string.h>

#include "analyzers/locality/lru_stack.h"

static inline uint32_t bin_of(uint32_t distance)
{
	if (distance < EXACT_BINS)
		return distance;
	uint32_t log2 = 31 - __builtin_clz(distance);
	uint32_t within = distance >> (log2 - OCTAVE_BITS) & (OCTAVE_BINS - 1);

	return EXACT_BINS + (log2 - EXACT_BITS) * OCTAVE_BINS + within;
}

uint64_t distances_of_bin(uint32_t bin)
{
	if (bin < EXACT_BINS)
		return bin;
	uint64_t octave = (bin - EXACT_BINS) / OCTAVE_BINS;
	uint64_t within = (bin - EXACT_BINS) % OCTAVE_BINS;

	return (OCTAVE_BINS + within) << (octave + EXACT_BITS - OCTAVE_BITS);
}

void distances_add_cache(struct distances *distances, uint64_t blocks)
{
	assert(distances->n_caches < MAX_CACHES);
	distances->caches[distances->n_caches++].blocks = blocks;
}

static void add_to_caches(struct distances *to, uint32_t distance)
{
	for (unsigned i = 0; i < to->n_caches; i++)
		to->caches[i].far += distance >= to->caches[i].blocks;
}

uint64_t distances_misses(const struct distances *distances, unsigned cache)
{
	const struct distances_cache *c = &distances->caches[cache];
	uint64_t misses = distances->cold + c->far;

	for (uint64_t bin = c->blocks; bin < EXACT_BINS; bin++)
		misses += distances->bins[bin];
	return misses;
}

/*
 * Small distances are counted in several arrays in turn, because a count that has just been stored
 * can be added to only after some cycles.
 */
void distances_add(struct distances *to, const uint32_t *distances, size_t count)
{
	enum { NEAR = 64, TURNS = 4 };
	uint64_t near[TURNS][NEAR] = { 0 };
	uint32_t n_bins = to->n_bins < NEAR ? NEAR : to->n_bins;

	to->touches += count;
	for (size_t i = 0; i < count; i++) {
		if (distances[i] == LRU_COLD) {
			to->cold++;
			continue;
		}
		uint32_t bin = bin_of(distances[i]);
		/* Chosen without a branch, which would be mispredicted. */
		uintptr_t is_near = -(uintptr_t)(bin < NEAR);
		uint64_t *bins = (uint64_t *)(((uintptr_t)near[i % TURNS] & is_near) |
					      ((uintptr_t)to->bins & ~is_near));

		if (bin >= EXACT_BINS)
			add_to_caches(to, distances[i]);
		bins[bin]++;
		if (bin >= n_bins)
			n_bins = bin + 1;
	}
	for (uint32_t turn = 0; turn < TURNS; turn++)
		for (uint32_t bin = 0; bin < NEAR; bin++)
			to->bins[bin] += near[turn][bin];
	while (n_bins && !to->bins[n_bins - 1])
		n_bins--;
	to->n_bins = n_bins;
}

void distances_merge(struct distances *to, const struct distances *from)
{
	to->touches += from->touches;
	to->cold += from->cold;
	for (uint32_t bin = 0; bin < from->n_bins; bin++)
		to->bins[bin] += from->bins[bin];
	for (unsigned i = 0; i < to->n_caches; i++)
		to->caches[i].far += from->caches[i].far;
	if (to->n_bins < from->n_bins)
		to->n_bins = from->n_bins;
}

void distances_clear(struct distances *distances)
{
	memset(distances->bins, 0, distances->n_bins * sizeof(*distances->bins));
	for (unsigned i = 0; i < distances->n_caches; i++)
		distances->caches[i].far = 0;
	distances->touches = distances->cold = distances->n_bins = 0;
}

void distances_to_buckets(const struct distances *distances, uint64_t buckets[MICA_BUCKETS])
{
	memset(buckets, 0, MICA_BUCKETS * sizeof(*buckets));
	for (uint32_t bin = 0; bin < distances->n_bins; bin++)
		buckets[mica_bucket(distances_of_bin(bin))] += distances->bins[bin];
}
