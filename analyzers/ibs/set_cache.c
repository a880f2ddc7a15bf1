/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/set_cache.h"

#include "analyzers/common/checked.h"

void set_cache_init(struct set_cache *cache, uint32_t entries, uint32_t ways)
{
	cache->sets = entries / ways ? entries / ways : 1;
	cache->ways = ways;
	cache->lines = checked_array((size_t)cache->sets * ways, sizeof(*cache->lines));
}

void set_cache_free(struct set_cache *cache)
{
	free(cache->lines);
}

bool set_cache_move_up(uint64_t *set, uint32_t ways, uint64_t line)
{
	uint32_t way = 0;

	while (way < ways - 1 && set[way] != line + 1)
		way++;
	bool hit = set[way] == line + 1;

	for (; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = line + 1;
	return hit;
}
