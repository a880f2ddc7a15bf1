/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/prefetch.h"

static bool same_page(uint64_t a, uint64_t b)
{
	return a >> CACHE_PREFETCH_PAGE_SHIFT == b >> CACHE_PREFETCH_PAGE_SHIFT;
}

unsigned cache_predict(const struct cache_level *level, uint64_t line, bool hit, bool first_use,
		       uint64_t next[CACHE_MAX_DISTANCE])
{
	const struct cache_geometry *g = &level->geometry;
	unsigned count = 0;

	if (hit && !(first_use && g->prefetch == CACHE_TAGGED))
		return 0;
	while (count < g->prefetch_distance) {
		next[count] = line + (count + 1) * (uint64_t)g->line;
		if (!same_page(line, next[count]))
			break;
		count++;
	}
	return count;
}

bool cache_predict_stride(const struct cache_level *level, uint64_t key, uint64_t position,
			  uint64_t *next)
{
	if (!prefetcher_predicts(level->strides, key, position))
		return false;
	*next = prefetcher_next(level->strides, key, position, level->geometry.line);
	if (!same_page(position, *next))
		return false;
	*next &= level->line_mask;
	return true;
}
