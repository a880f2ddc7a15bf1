/* SPDX-License-Identifier: MIT */
/*
 * Shares of a hierarchy, which are simulated apart and added. A share has some of the sets of each
 * level, or nothing; a hierarchy that cannot be divided is one share. Shares of an access of
 * several lines do not know each other's misses, so each lists its own.
 */
#ifndef CACHE_SHARES_H
#define CACHE_SHARES_H

#include "analyzers/cache/hierarchy.h"
#include "analyzers/common/analyzer.h"

/* An access of several lines that missed level 1. */
struct share_crossing {
	uint64_t access; /* its number in the trace */
	uint64_t misses; /* lines */
	uint8_t kind;    /* enum cache_kind */
};

struct cache_share {
	struct cache_hierarchy *hierarchy;
	bool is_empty;                          /* it has no sets */
	uint64_t accesses;                      /* fed */
	ARRAY(struct share_crossing) crossings; /* ascending */
};

/*
 * Makes a hierarchy one of `n` shares. number: of the hierarchy; shares of several ones are spread
 * by it.
 */
void cache_share_init(struct cache_share *share, struct cache_hierarchy *hierarchy, unsigned number,
		      uint64_t which, uint64_t n);
void cache_share_free(struct cache_share *share);

void cache_share_feed(struct cache_share *share, const struct cache_access *accesses,
		      const struct cache_origin *origins, size_t count);

/* Adds the counts of another share. */
void cache_share_merge(struct cache_share *share, const struct cache_share *other);

/* Counts the misses of accesses of several lines, when all shares have been added. */
void cache_share_complete(struct cache_share *share);

/* Save and load the counts. load returns false if they are of another configuration. */
void cache_share_save(const struct cache_share *share, struct state_writer *writer);
bool cache_share_load(struct cache_share *share, struct state_reader *reader);

#endif
