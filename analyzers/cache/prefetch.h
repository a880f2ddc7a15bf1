/* SPDX-License-Identifier: MIT */
/* The prefetchers of levels: the lines that are predicted to be looked up next. */
#ifndef CACHE_PREFETCH_H
#define CACHE_PREFETCH_H

#include "analyzers/cache/level.h"

/*
 * Reports a demand lookup to the next-line or tagged prefetcher of a level. first_use: a prefetched
 * line was used for the first time. Returns the number of
 * lines to prefetch, whose addresses are in next.
 */
unsigned cache_predict(const struct cache_level *level, uint64_t line, bool hit, bool first_use,
		       uint64_t next[CACHE_MAX_DISTANCE]);

/*
 * Reports a lookup to a level's stride prefetcher. key: what strides belong to. Returns true if
 * *next, a line's address, is to be prefetched.
 */
bool cache_predict_stride(const struct cache_level *level, uint64_t key, uint64_t position,
			  uint64_t *next);

#endif
