/* SPDX-License-Identifier: MIT */
/*
 * The accesses of a trace in a hierarchy. An analyzer that needs the misses of each block:
 *
 *	cache_config_parse(&config, "32Ki/8,1Mi/16,32Mi/16", false);
 *	cache_code_init(&code, reader, CACHE_FETCHES | CACHE_DATA,
 *			cache_config_fetch_line(&config));
 *	cache_hierarchy_init(&hierarchy, &config);
 *	hierarchy.observer = &observer;	// sees each miss
 *	feed->code = &code;		// struct cache_feed, zeroed
 *	feed->consume = consume;	// calls cache_hierarchy_feed
 *	feed->opaque = &hierarchy;
 *	...
 *	cache_feed_blocks(feed, item, 0);
 *	cache_feed_flush(feed);		// now the observer has seen the misses of these blocks
 *
 * cache_machine_read (machines.h) reads a machine instead. With cache_config_needs_origins,
 * feed->wants_origins must be set. cache_hierarchy_finish comes before the counts are read.
 */
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
 * Simulates the levels with OPT and those below, for which all accesses must be known. Returns
 * false if a log was too short; then the counts of these levels are of a part of the accesses.
 */
bool cache_hierarchy_finish(struct cache_hierarchy *hierarchy);

#endif
