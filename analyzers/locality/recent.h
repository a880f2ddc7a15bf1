/* SPDX-License-Identifier: MIT */
/*
 * The list of the blocks that were touched last, the newest first. Most touches are of these, and
 * the place of a block in the list is its stack distance.
 */
#ifndef LOCALITY_RECENT_H
#define LOCALITY_RECENT_H

#include <stdbool.h>
#include <stdint.h>

enum { LRU_RECENT = 16, LRU_BATCH = 512 };

struct recent {
	unsigned count;
	uint64_t blocks[LRU_RECENT]; /* the newest first */
};

/*
 * The blocks of a batch that were not in the list. Places: LRU_RECENT + k is miss k, below it are
 * those that were in the list when the batch began.
 */
struct misses {
	unsigned count;
	uint64_t blocks[LRU_BATCH];
	uint16_t touches[LRU_BATCH]; /* which of the batch's */
	int16_t victims[LRU_BATCH];  /* places of what left the list for it; -1: nothing */
	int16_t places[LRU_BATCH];   /* by touch: the place of what it touched */
	uint32_t refs[LRU_RECENT + LRU_BATCH]; /* by place; not used here */
};

/*
 * Touches up to LRU_BATCH blocks: fills *misses, and distances[i] for each touch i of a block in
 * the list. places receives the places of the list's blocks as it is afterwards.
 */
void recent_touch(struct recent *recent, const uint64_t *blocks, unsigned count,
		  uint32_t *distances, int16_t places[LRU_RECENT], struct misses *misses);

/* Does the same on processors without AVX2. */
void recent_touch_plain(struct recent *recent, const uint64_t *blocks, unsigned count,
			uint32_t *distances, int16_t places[LRU_RECENT], struct misses *misses);

#endif
