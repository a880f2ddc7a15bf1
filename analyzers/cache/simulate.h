/* SPDX-License-Identifier: MIT */
/* The accesses of a trace in a hierarchy. */
#ifndef CACHE_SIMULATE_H
#define CACHE_SIMULATE_H

#include "analyzers/cache/hierarchy.h"

/* Feeds accesses. origins: as many, or NULL. */
void cache_hierarchy_feed(struct cache_hierarchy *hierarchy, const struct cache_access *accesses,
			  const struct cache_origin *origins, size_t count);

#endif
