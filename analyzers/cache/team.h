/* SPDX-License-Identifier: MIT */
/*
 * Several threads that simulate hierarchies, each of which is one thread's at a time, while the
 * caller finds the accesses; the caller simulates, too, when it is ahead.
 */
#ifndef CACHE_TEAM_H
#define CACHE_TEAM_H

#include "analyzers/cache/simulate.h"

struct cache_team;

/*
 * Starts threads for hierarchies, which have fed nothing yet and outlive the team. origins:
 * accesses come with origins. Ends the process if memory is out or threads cannot be started.
 */
struct cache_team *cache_team_new(struct cache_hierarchy *const *hierarchies, size_t count,
				  unsigned n_threads, bool origins);
void cache_team_free(struct cache_team *team); /* NULL is allowed */

/* Feeds accesses, which are copied. origins: as many, or NULL. */
void cache_team_feed(struct cache_team *team, const struct cache_access *accesses,
		     const struct cache_origin *origins, size_t count);

/* Waits until all is simulated, and the hierarchies have all counts. */
void cache_team_wait(struct cache_team *team);

#endif
