/* SPDX-License-Identifier: MIT */
/*
 * A hierarchy of caches, fed with the accesses of a trace. trace-cache(1) defines what happens at
 * an access, and each count.
 */
#ifndef CACHE_HIERARCHY_H
#define CACHE_HIERARCHY_H

#include <stddef.h>

#include "analyzers/cache/access.h"
#include "analyzers/cache/level.h"
#include "analyzers/cache/request_log.h"

/* A lookup of a line that an access demands, at one level. */
struct cache_lookup {
	uint64_t line; /* its address, a multiple of the level's line size */
	unsigned depth;
	uint8_t kind; /* enum cache_kind */
	uint8_t core;
	bool instructions; /* the level is one for instructions only */
	bool hit;
	const struct cache_access *access;
	const struct cache_origin *origin; /* NULL: not known */
};

/* Receives lookups in the order of accesses; a miss comes before the lookups of levels below. */
struct cache_observer {
	void (*lookup)(void *opaque, const struct cache_lookup *lookup);
	void *opaque;
	unsigned depths; /* bit n: of level n, from 0 */
	bool hits;       /* those that hit, too */
	/*
	 * Receives a hit of level 1 that has no other effect than the order of lines, instead of
	 * lookup. NULL: lookup receives all hits.
	 */
	void (*hit)(void *opaque, const struct cache_level *level, uint64_t line);
};

/*
 * Sees each line that a core is about to look up in level 1, before the lookup, with the bytes of
 * the access; and each line that a prefetcher is about to fill, as a load of 0 bytes. The hook may
 * invalidate or clean lines of other cores.
 */
struct cache_coherence {
	void (*before)(void *opaque, unsigned core, uint64_t address, uint64_t bytes,
		       enum cache_kind kind);
	/*
	 * Returns true if an access to a line that the core has would change nothing, so that
	 * `before` need not see the access. NULL: it must see all.
	 */
	bool (*is_quiet)(void *opaque, unsigned core, uint64_t address, enum cache_kind kind);
	void *opaque;
};

/* An access of several lines that missed level 1 of a part. */
struct cache_crossed {
	uint32_t access; /* number in the batch */
	uint32_t misses; /* lines */
};

struct cache_hierarchy {
	struct cache_config config;
	/* by core, data or instructions, and depth; shared and unified ones stand several times */
	struct cache_level *at[CACHE_MAX_CORES][2][CACHE_MAX_LEVELS];
	struct cache_level *levels; /* each once */
	unsigned n_levels;
	uint64_t bytes_read, bytes_written; /* of memory */
	uint64_t crossings[N_CACHE_KINDS];  /* accesses of two or more lines of level 1 */
	uint64_t
		crossing_misses[N_CACHE_KINDS]; /* lines that missed level 1 in such an access after
						  * its first miss */
	struct cache_log *logs[CACHE_MAX_LEVELS + 1]; /* of depths with OPT whose requests are not
							 yet simulated; else NULL */
	/*
	 * A part of a hierarchy: of the lines whose number, counted in the longest lines, has
	 * these lowest bits. Else the mask is 0.
	 */
	uint64_t part, part_mask;
	unsigned part_shift; /* log2 of the bytes of the longest line */
	ARRAY(struct cache_crossed) crossed;
	const struct cache_observer *observer;   /* NULL: none */
	const struct cache_coherence *coherence; /* NULL: none */
	const struct cache_access *access;       /* the current one */
	const struct cache_origin *origin;
};

/* Returns whether all cores have one cache together at a depth. */
static inline bool cache_is_shared(const struct cache_hierarchy *h, unsigned depth)
{
	return depth + h->config.n_shared >= h->config.n_levels;
}

/* The config must be checked. Ends the process if memory is out. */
void cache_hierarchy_init(struct cache_hierarchy *hierarchy, const struct cache_config *config);
void cache_hierarchy_free(struct cache_hierarchy *hierarchy);

/*
 * Makes the hierarchy one of several parts, see cache_config_parts, which all are fed with the same
 * accesses. The misses of accesses of several lines are then in `crossed`, instead of
 * crossing_misses.
 */
void cache_hierarchy_divide(struct cache_hierarchy *hierarchy, unsigned part, unsigned parts);

/* Adds the counts of a part to another one. */
void cache_hierarchy_add_counts(struct cache_hierarchy *to, const struct cache_hierarchy *from);

/* Returns the sum of the counts of all cores' caches of a depth. */
struct cache_counts cache_hierarchy_counts(const struct cache_hierarchy *hierarchy, unsigned depth,
					   bool instructions);

#endif
