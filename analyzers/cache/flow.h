/* SPDX-License-Identifier: MIT */
/* The flow of lines between the levels of a hierarchy. */
#ifndef CACHE_FLOW_H
#define CACHE_FLOW_H

#include "analyzers/cache/hierarchy.h"

/* A place in a hierarchy: a level as a core sees it. */
struct cache_place {
	uint8_t core;
	uint8_t side;  /* 1: of instructions, where the level is split */
	uint8_t kind;  /* enum cache_kind, of the access that is the first cause */
	uint8_t depth; /* n_levels: memory */
};

static inline struct cache_place cache_below(struct cache_place at)
{
	at.depth++;
	return at;
}

static inline struct cache_level *cache_level_at(const struct cache_hierarchy *h,
						 struct cache_place at)
{
	return h->at[at.core][at.side][at.depth];
}

/*
 * Looks a line up for a demand, counts and reports the lookup. Returns the touched entry, or NULL.
 * *first_use: a prefetched line was used for the first time.
 */
uint64_t *cache_look_up(struct cache_hierarchy *h, struct cache_place at, uint64_t line,
			bool *first_use);

enum cache_cause { CACHE_DEMAND, CACHE_PREFETCH_READ };

/*
 * Reads `bytes` at an address for the level above `at`. Returns CACHE_DIRTY if the line moved there
 * and is dirty, else 0.
 */
unsigned cache_read(struct cache_hierarchy *h, struct cache_place at, uint64_t address,
		    uint64_t bytes, enum cache_cause cause);

/*
 * Prefetches the lines that a demand lookup predicts, after its line was filled. first_use: as from
 * cache_look_up.
 */
void cache_prefetch(struct cache_hierarchy *h, struct cache_place at, uint64_t line, bool hit,
		    bool first_use);

/* Does the same for the stride prefetcher of data in level 1, for an access by the instruction. */
void cache_prefetch_access(struct cache_hierarchy *h, struct cache_place at, uint64_t pc,
			   uint64_t address);

/* Fills a line that the level lacks, and disposes of the victim. flags: as cache_level_fill. */
void cache_fill(struct cache_hierarchy *h, struct cache_place at, uint64_t line, unsigned flags);

/* Writes bytes that the level above passes on. */
void cache_write_through(struct cache_hierarchy *h, struct cache_place at, uint64_t address,
			 uint64_t bytes);

/* Writes bytes of a dirty line that left the level above back to the level that has the line. */
void cache_write_back(struct cache_hierarchy *h, struct cache_place at, uint64_t address,
		      uint64_t bytes);

/*
 * Removes the line of an address from a core's own levels, as when another core writes to it. A
 * dirty one is written back. Returns its flags (CACHE_VALID, CACHE_DIRTY), or 0.
 */
unsigned cache_hierarchy_invalidate(struct cache_hierarchy *hierarchy, unsigned core,
				    uint64_t address);

/* Writes the line of an address back from a core's own levels, as when another core reads it.
 * Returns its flags before, or 0 if it is not there. */
unsigned cache_hierarchy_clean(struct cache_hierarchy *hierarchy, unsigned core, uint64_t address);

#endif
