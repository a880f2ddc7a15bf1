/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/latencies.h"

enum { EXACT_BITS = 7, OCTAVE_BITS = 6 };

static unsigned bin_of(uint64_t cycles)
{
	if (cycles < LATENCY_EXACT)
		return cycles;
	unsigned log2 = 63 - __builtin_clzll(cycles);

	return LATENCY_EXACT + (log2 - EXACT_BITS) * LATENCY_OCTAVE +
	       (cycles >> (log2 - OCTAVE_BITS) & (LATENCY_OCTAVE - 1));
}

uint64_t latency_of_bin(unsigned bin)
{
	if (bin < LATENCY_EXACT)
		return bin;
	unsigned octave = (bin - LATENCY_EXACT) / LATENCY_OCTAVE;
	uint64_t within = (bin - LATENCY_EXACT) % LATENCY_OCTAVE;

	return (LATENCY_OCTAVE + within) << (octave + EXACT_BITS - OCTAVE_BITS);
}

void latencies_add(struct latencies *latencies, uint64_t cycles)
{
	latencies->count++;
	latencies->sum += cycles;
	if (cycles > latencies->max)
		latencies->max = cycles;
	latencies->bins[bin_of(cycles)]++;
}

void latencies_merge(struct latencies *to, const struct latencies *from)
{
	to->count += from->count;
	to->sum += from->sum;
	if (to->max < from->max)
		to->max = from->max;
	for (unsigned bin = 0; bin < LATENCY_BINS; bin++)
		to->bins[bin] += from->bins[bin];
}

uint64_t latencies_percentile(const struct latencies *latencies, double percentage)
{
	double wanted = (double)latencies->count * percentage / 100;
	uint64_t below = 0;

	for (unsigned bin = 0; bin < LATENCY_BINS; bin++) {
		below += latencies->bins[bin];
		if (below && (double)below >= wanted)
			return latency_of_bin(bin);
	}
	return 0;
}

double latencies_mean(const struct latencies *latencies)
{
	return latencies->count ? (double)latencies->sum / (double)latencies->count : 0;
}
