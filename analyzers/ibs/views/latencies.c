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
static unsigned find(const struct latencies *l, uint32_t from)
{
	unsigned low = 0, high = l->n_bins;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (l->bins[middle].from < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct latencies *l, unsigned at, uint32_t from)
{
	if (l->n_bins == l->room) {
		l->room = l->room ? 2 * l->room : 2;
		l->bins = checked(reallocarray(l->bins, l->room, sizeof(*l->bins)));
	}
	memmove(&l->bins[at + 1], &l->bins[at], (l->n_bins - at) * sizeof(*l->bins));
	l->bins[at] = (struct latency_bin){ .from = from };
	l->n_bins++;
}

void latencies_add(struct latencies *l, uint64_t cycles)
{
	unsigned width = width_of(cycles);
	uint32_t from = (uint32_t)(cycles >> width << width);
	unsigned at = find(l, from);

	if (at == l->n_bins || l->bins[at].from != from)
		insert(l, at, from);
	l->bins[at].samples++;
	l->count++;
	l->sum += cycles;
	if (cycles > l->max)
		l->max = cycles;
}

void latencies_free(struct latencies *l)
{
	free(l->bins);
}

uint64_t latencies_percentile(const struct latencies *l, double percentage)
{
	double wanted = (double)l->count * percentage / 100;
	uint64_t below = 0;

	for (unsigned i = 0; i < l->n_bins; i++) {
		below += l->bins[i].samples;
		if ((double)below >= wanted)
			return l->bins[i].from;
	}
	return 0;
}

double latencies_mean(const struct latencies *l)
{
	return l->count ? (double)l->sum / (double)l->count : 0;
}
