/* SPDX-License-Identifier: MIT */
/* Misses of a hierarchy by the code and the data that cause them. */
#ifndef CACHE_ATTRIBUTION_H
#define CACHE_ATTRIBUTION_H

#include "analyzers/cache/by.h"
#include "analyzers/cache/kinds.h"
#include "traceformat/common/hash_table.h"

/* The misses of equal keys. */
struct cache_group {
	struct cache_group_key {
		struct place_value values[CACHE_MOST_KEYS]; /* by key; the others are zeroed */
	} key;
	struct cache_miss_counts misses[2][CACHE_MAX_LEVELS]; /* by side and depth */
};

struct cache_attribution {
	const struct cache_by *by;
	const struct cache_hierarchy *hierarchy;
	HASH_TABLE(struct cache_group) groups;
};

/* Initializes an attribution; by and hierarchy must outlive it. */
void cache_attribution_init(struct cache_attribution *attribution, const struct cache_by *by,
			    const struct cache_hierarchy *hierarchy);
void cache_attribution_free(struct cache_attribution *attribution);

/* Adds a miss. Ends the process if memory is out. */
void cache_attribution_add(struct cache_attribution *attribution, struct places *places,
			   const struct place *place, uint32_t path,
			   const struct cache_lookup *lookup, enum cache_miss miss);

/* The misses of a cache of all cores, in a group. */
struct cache_group_row {
	const struct cache_group *group;
	uint32_t number; /* of the group */
	uint64_t misses;
};

/*
 * Returns a row for each group that has misses of a cache, those with the most misses first; *count
 * receives their number, and *total their misses. Free the array.
 */
struct cache_group_row *cache_attribution_rows(const struct cache_attribution *attribution,
					       unsigned depth, bool instructions, size_t *count,
					       uint64_t *total);

#endif
