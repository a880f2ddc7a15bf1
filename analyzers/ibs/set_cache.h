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

/* Makes `line` the newest of its set. Returns whether it was there. */
bool set_cache_touch(struct set_cache *cache, uint64_t line);

#endif
