/* SPDX-License-Identifier: MIT */
/* A set-associative cache of lines, or of pages, that evicts the least recently used one. */
#ifndef IBS_SET_CACHE_H
#define IBS_SET_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct set_cache {
	uint32_t sets, ways;
	uint32_t mask;   /* sets - 1, if that is a power of two, else 0 */
	uint64_t *lines; /* set by set, the newest first; + 1, 0: none */
};

/* entries: lines in all, rounded down to whole sets, of which there is one at least. Memory that
 * is out ends the process. */
void set_cache_init(struct set_cache *cache, uint32_t entries, uint32_t ways);
void set_cache_free(struct set_cache *cache);

/* The set of a line; without a division, where that is possible. */
static inline uint64_t *set_cache_set(const struct set_cache *cache, uint64_t line)
{
	uint64_t set = cache->mask ? line & cache->mask : line % cache->sets;

	return &cache->lines[set * cache->ways];
}

/* Makes `line` the first one of its set, and returns what was there in its place: line + 1 if it
 * was in the set, else what had to go, + 1, or 0. */
uint64_t set_cache_move_up(uint64_t *set, uint32_t ways, uint64_t line);

/* Makes `line` the newest of its set. Returns whether it was there. */
static inline bool set_cache_touch(struct set_cache *cache, uint64_t line)
{
	uint64_t *set = set_cache_set(cache, line);

	return *set == line + 1 || set_cache_move_up(set, cache->ways, line) == line + 1;
}

/* Does the same. Returns the evicted line + 1, or 0 if none was evicted. */
static inline uint64_t set_cache_insert(struct set_cache *cache, uint64_t line)
{
	uint64_t out = set_cache_move_up(set_cache_set(cache, line), cache->ways, line);

	return out == line + 1 ? 0 : out;
}

/* Whether a line is there; leaves it as old as it is. */
bool set_cache_has(const struct set_cache *cache, uint64_t line);

#endif
