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

/*
 * Initializes a cache. entries: lines in all, rounded down to whole sets, but at least one set.
 * Ends the process if memory is out.
 */
void set_cache_init(struct set_cache *cache, uint32_t entries, uint32_t ways);
void set_cache_free(struct set_cache *cache);

/* Returns the set of a line, without a division if that is possible. */
static inline uint64_t *set_cache_set(const struct set_cache *cache, uint64_t line)
{
	uint64_t set = cache->mask ? line & cache->mask : line % cache->sets;

	return &cache->lines[set * cache->ways];
}

/*
 * Makes `line` the first one of its set. Returns line + 1 if the line was in the set, else the
 * evicted line + 1, or 0.
 */
uint64_t set_cache_move_up(uint64_t *set, uint32_t ways, uint64_t line);

/* Makes `line` the newest of its set. Returns true if it was there. */
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

/* Returns true if a line is there; does not change its age. */
bool set_cache_has(const struct set_cache *cache, uint64_t line);

#endif
