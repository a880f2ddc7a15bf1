/* SPDX-License-Identifier: MIT */
/*
 * Predicts the next accesses from earlier ones: the next line, or one a few strides ahead, after
 * the reference prediction table of J. L. Baer, T. F. Chen, "An Effective On-Chip Preloading Scheme
 * to Reduce Data Access Penalty", Supercomputing 1991. The key of a table that is in front of L1D
 * is the instruction, and behind it the page, as no instruction is known there.
 */
#ifndef IBS_PREFETCHER_H
#define IBS_PREFETCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/ibs/model/machine.h"

enum { PREFETCHER_ENTRIES = 64 };

struct prefetcher {
	enum machine_prefetcher kind;
	uint32_t distance; /* strides */
	struct prefetcher_entry {
		uint64_t key, last, stride;
		uint32_t repeated; /* times that the stride was the same again */
	} entries[PREFETCHER_ENTRIES];
};

void prefetcher_init(struct prefetcher *prefetcher, enum machine_prefetcher kind,
		     uint32_t distance);

/*
 * Reports an access. unit: the length of a line, in the unit of positions. Returns true if it is
 * worthwhile to prefetch *next.
 */
bool prefetcher_next(struct prefetcher *prefetcher, uint64_t key, uint64_t position, uint64_t unit,
		     uint64_t *next);

#endif
