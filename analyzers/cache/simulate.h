/* SPDX-License-Identifier: MIT */
/* The accesses of a trace in a hierarchy. */
#ifndef CACHE_SIMULATE_H
#define CACHE_SIMULATE_H

#include "analyzers/cache/hierarchy.h"

/* Feeds accesses. origins: as many, or NULL. */
void cache_hierarchy_feed(struct cache_hierarchy *hierarchy, const struct cache_access *accesses,
			  const struct cache_origin *origins, size_t count);

/* Forgets the counts, but not the lines. */
void cache_hierarchy_clear(struct cache_hierarchy *hierarchy);

/*
 * Lets the logs of levels with OPT, each, need at most so many bytes of memory; else there is no
 * limit.
 */
void cache_hierarchy_limit_logs(struct cache_hierarchy *hierarchy, size_t bytes);

/*
 * Simulates the levels with OPT and those below, for which all accesses must be known. Returns false
 * if a log was too short; then the counts of these levels are of a part of the accesses.
 */
bool cache_hierarchy_finish(struct cache_hierarchy *hierarchy);

#endif
