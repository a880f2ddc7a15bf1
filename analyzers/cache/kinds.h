/* SPDX-License-Identifier: MIT */
/*
 * The kinds of misses (M. D. Hill and A. J. Smith, "Evaluating associativity in CPU caches", IEEE
 * Transactions on Computers 38 (12), 1989): a miss is cold if no lookup of the cache was of the
 * line before; a capacity miss if a fully associative LRU cache of as many lines, fed with the same
 * lookups, misses, too; otherwise a conflict miss. A miss is a coherence miss, whatever else it is,
 * if another core's write has removed the line from the cache; see coherence.h.
 *
 * Memory: an LRU stack of all lines that a cache was asked for, 6 to 8 bytes a line.
 */
#ifndef CACHE_KINDS_H
#define CACHE_KINDS_H

#include "analyzers/cache/hierarchy.h"

enum cache_miss {
	CACHE_COLD,
	CACHE_CAPACITY,
	CACHE_CONFLICT,
	CACHE_TRUE_SHARING,
	CACHE_FALSE_SHARING,
	N_CACHE_MISSES,
};

struct cache_miss_counts {
	uint64_t of[N_CACHE_MISSES];
};

struct cache_kinds {
	const struct cache_hierarchy *hierarchy;
	struct cache_history *histories;                      /* of hierarchy->levels */
	struct cache_miss_counts counts[2][CACHE_MAX_LEVELS]; /* by side and depth, of all cores */
};

/* Initializes kinds of an initialized hierarchy. Ends the process if memory is out. */
void cache_kinds_init(struct cache_kinds *kinds, const struct cache_hierarchy *hierarchy);
void cache_kinds_free(struct cache_kinds *kinds);

/*
 * Takes each lookup of each level in order. For a hit returns N_CACHE_MISSES, for a miss its kind,
 * and counts it. sharing: the kind if it is a coherence miss, else N_CACHE_MISSES. Ends the process
 * if memory is out.
 */
enum cache_miss cache_kinds_take(struct cache_kinds *kinds, const struct cache_lookup *lookup,
				 enum cache_miss sharing);

/* Takes a hit of a level, as cache_kinds_take() does. */
void cache_kinds_hit(struct cache_kinds *kinds, const struct cache_level *level, uint64_t line);

/* Forgets the counts, but not the lookups. */
void cache_kinds_clear(struct cache_kinds *kinds);

#endif
