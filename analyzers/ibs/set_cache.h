/* SPDX-License-Identifier: MIT */
/* A set-associative cache of lines, or of pages, that evicts the least recently used one. */
#ifndef IBS_SET_CACHE_H
#define IBS_SET_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct set_cache {
	uint32_t sets, ways;
	uint64_t *lines;	/* set by set, the newest first; + 1, 0: none */
};

/* entries: lines in all, rounded down to whole sets, of which there is one at least. Memory that
 * is out ends the process. */
void set_cache_init(struct set_cache *cache, uint32_t entries, uint32_t ways);
void set_cache_free(struct set_cache *cache);

/* The set of a line; without a division, where that is possible. */
static inline uint64_t *set_cache_set(const struct set_cache *cache, uint64_t line)
{
	bool is_power = !(cache->sets & (cache->sets - 1));
	uint64_t set = is_power ? line & (cache->sets - 1) : line % cache->sets;

	return &cache->lines[set * cache->ways];
}

/* The same as set_cache_touch, of a line that is not the newest one of its set. */
bool set_cache_move_up(uint64_t *set, uint32_t ways, uint64_t line);

/* Makes `line` the newest of its set. Returns whether it was there. */
static inline bool set_cache_touch(struct set_cache *cache, uint64_t line)
{
	uint64_t *set = set_cache_set(cache, line);

	return *set == line + 1 || set_cache_move_up(set, cache->ways, line);
}

#endif
