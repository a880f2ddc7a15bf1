/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/latencies.h"

#include <string.h>

#include "cli/common/checked.h"

enum { EXACT = 128, OCTAVE_BITS = 6 };

/* Returns log2 of the width, in cycles, of the bin at `cycles`. */
static unsigned width_of(uint64_t cycles)
{
	return cycles < EXACT ? 0 : 63 - OCTAVE_BITS - (unsigned)__builtin_clzll(cycles);
}

uint64_t latency_bin_to(const struct latency_bin *bin)
{
	return bin->from + (1ull << width_of(bin->from)) - 1;
}

/* Returns the index of the bin that begins at `from`, or the index at which to insert it. */
static size_t find(const struct latencies *l, uint32_t from)
{
	size_t low = 0, high = l->bins.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->bins.at[middle].from < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct latencies *l, size_t at, uint32_t from)
{
	size_t count = l->bins.count;

	/* most groups have one latency */
	if (count == l->bins.capacity && !RESERVE_EXACTLY(l->bins, count ? 2 * count : 2))
		out_of_memory();
	memmove(&l->bins.at[at + 1], &l->bins.at[at], (count - at) * sizeof(*l->bins.at));
	l->bins.at[at] = (struct latency_bin){ .from = from };
	l->bins.count++;
}

void latencies_add(struct latencies *l, uint64_t cycles)
{
	unsigned width = width_of(cycles);
	uint32_t from = (uint32_t)(cycles >> width << width);
	size_t at = find(l, from);

	if (at == l->bins.count || l->bins.at[at].from != from)
		insert(l, at, from);
	l->bins.at[at].samples++;
	l->count++;
	l->sum += cycles;
	if (cycles > l->max)
		l->max = cycles;
}

void latencies_free(struct latencies *l)
{
	free(l->bins.at);
}

uint64_t latencies_percentile(const struct latencies *l, double percentage)
{
	double wanted = (double)l->count * percentage / 100;
	uint64_t below = 0;

	for (size_t i = 0; i < l->bins.count; i++) {
		below += l->bins.at[i].samples;
		if ((double)below >= wanted)
			return l->bins.at[i].from;
	}
	return 0;
}

double latencies_mean(const struct latencies *l)
{
	return l->count ? (double)l->sum / (double)l->count : 0;
}
