/* SPDX-License-Identifier: MIT */
/*
 * Which paths are worth being joined: the records are a profile that costs nothing to take. Now and
 * then some are counted; from the paths that ran most, the exits taken most are followed.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include "recorder/translate/cache/cache.h"

enum { PROFILE_CHAINS = 64 };

/*
 * Blocks that mostly run one after the other, from a path's first on. The first n_shared of them
 * are the path's own up to an exit, which is to lead on; if that is 0, the chain is to take the
 * path's place.
 */
struct chain {
	struct translation *head;
	unsigned exit, n_shared;
	unsigned n_blocks;
	struct code_block *blocks[PLAN_BLOCKS];
};

struct profile;

/* NULL: memory is out. */
struct profile *profile_new(const struct session *session);
void profile_free(struct profile *profile);

/* The next records are looked at. */
void profile_begin(struct profile *profile);

/* Looks at records, by whatever thread writes them; mostly it returns at once. */
void profile_records(struct profile *profile, const struct cache *cache, const uint8_t *from,
		     const uint8_t *to);

/* Takes the chains found since; returns how many. */
unsigned profile_take(struct profile *profile, struct chain chains[PROFILE_CHAINS]);

/* The translations are to be freed: forgets chains. Nobody may be looking at records. */
void profile_forget(struct profile *profile);

#endif
