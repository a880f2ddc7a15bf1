/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/set_cache.h"

#include "cli/common/checked.h"

void set_cache_init(struct set_cache *cache, uint32_t entries, uint32_t ways)
{
	cache->sets = entries / ways ? entries / ways : 1;
	cache->mask = cache->sets & (cache->sets - 1) ? 0 : cache->sets - 1;
	cache->ways = ways;
	cache->lines = checked_array((size_t)cache->sets * ways, sizeof(*cache->lines));
}

void set_cache_free(struct set_cache *cache)
{
	free(cache->lines);
}

uint64_t set_cache_move_up(uint64_t *set, uint32_t ways, uint64_t line)
{
	uint64_t previous = line + 1;

	for (uint32_t way = 0; way < ways; way++) {
		uint64_t here = set[way];

		set[way] = previous;
		previous = here;
		if (here == line + 1)
			break;
	}
	return previous;
}

bool set_cache_has(const struct set_cache *cache, uint64_t line)
{
	const uint64_t *set = set_cache_set(cache, line);

	for (uint32_t way = 0; way < cache->ways; way++)
		if (set[way] == line + 1)
			return true;
	return false;
}
