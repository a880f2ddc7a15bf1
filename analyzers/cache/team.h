/* SPDX-License-Identifier: MIT */
/*
 * Several threads that simulate hierarchies while the caller finds the accesses; the caller
 * simulates, too, when it is ahead. A hierarchy whose sets do not influence each other is also
 * divided: lines whose numbers have equal lowest bits are in the same part of the sets of every
 * level. The caller sorts accesses by part, and each part is simulated by one thread at a time. The
 * order of the accesses to a set stays, so that the result is the same.
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
