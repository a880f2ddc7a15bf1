/* SPDX-License-Identifier: MIT */
/* The levels behind a core's first level caches: L2, L3 and memory. Times are in cycles. */
#ifndef IBS_LOWER_H
#define IBS_LOWER_H

#include "analyzers/ibs/model/machine.h"
#include "analyzers/ibs/model/pending.h"
#include "analyzers/ibs/model/prefetcher.h"
#include "analyzers/ibs/model/set_cache.h"

enum memory_source { FROM_L1, FROM_L2, FROM_L3, FROM_MEMORY };

enum { MEMORY_SLOTS = 1024 };

struct lower_memory {
	const struct machine *machine;
	struct set_cache l2;
	struct set_cache *l3; /* shared by all cores */
	uint64_t space;       /* added to lines there: other processes have other
					   memory */
	struct prefetcher prefetcher;
	struct pending_lines prefetched; /* to L2 */
	uint64_t slots[MEMORY_SLOTS];    /* the last interval in which each was taken, + 1 */
};

/*
 * Initializes the lower memory, which l3 and the machine must outlive. Ends the process if memory
 * is out.
 */
void lower_memory_init(struct lower_memory *lower, const struct machine *machine,
		       struct set_cache *l3);
void lower_memory_free(struct lower_memory *lower);

/* Reads a line that was requested at a cycle. Returns the cycle in which its data can be used. */
uint64_t lower_memory_read(struct lower_memory *lower, uint64_t line, uint64_t cycle,
			   enum memory_source *source);

/*
 * Reports a read of data, after the read; lines that are predicted to be next are then brought to
 * L2.
 */
void lower_memory_prefetch(struct lower_memory *lower, uint64_t line, uint64_t cycle);

#endif
