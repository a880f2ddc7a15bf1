/* SPDX-License-Identifier: MIT */
/*
 * Which superblocks are worth being joined: the records are a profile that costs nothing to take. Now and
 * then some are counted; from the superblocks that ran most, the exits taken most are followed.
 */
#ifndef HOT_PATHS_H
#define HOT_PATHS_H

#include "recorder/translate/cache/cache.h"

enum { HOT_PATHS_CHAINS = 64 };

/*
 * Blocks that mostly run one after the other, from a superblock's first on. The first n_shared of them
 * are the superblock's own up to an exit, which is to lead on; if that is 0, the chain is to take the
 * superblock's place.
 */
struct chain {
	struct translation *head;
	unsigned exit, n_shared;
	unsigned n_blocks;
	struct code_block *blocks[PLAN_BLOCKS];
};

struct hot_paths;

/* NULL: memory is out. */
struct hot_paths *hot_paths_new(const struct session *session);
void hot_paths_free(struct hot_paths *hot_paths);

/* The next records are looked at. */
void hot_paths_begin(struct hot_paths *hot_paths);

/* Looks at records, by whatever thread writes them; mostly it returns at once. */
void hot_paths_records(struct hot_paths *hot_paths, const struct cache *cache, const uint8_t *from,
		       const uint8_t *to);

/* Takes the chains found since; returns how many. */
unsigned hot_paths_take(struct hot_paths *hot_paths, struct chain chains[HOT_PATHS_CHAINS]);

/* The translations are to be freed: forgets chains. Nobody may be looking at records. */
void hot_paths_forget(struct hot_paths *hot_paths);

#endif
