/* SPDX-License-Identifier: MIT */
/*
 * Detects hot paths: the superblocks that are worth extending. The records are a profile that costs
 * nothing to take. Now and then some records are counted; from the superblocks that ran most, the
 * exits that were taken most are followed.
 */
#ifndef HOT_PATHS_H
#define HOT_PATHS_H

#include "recorder/translate/cache/cache.h"

enum { HOT_PATHS_CHAINS = 64 };

/*
 * Blocks that mostly run one after the other, from a superblock's first block on. The first
 * n_shared blocks are the superblock's own, up to an exit that is to be extended. If n_shared is 0,
 * the chain is to replace the superblock.
 */
struct chain {
	struct translation *head;
	unsigned exit, n_shared;
	unsigned n_blocks;
	struct code_block *blocks[PLAN_BLOCKS];
};

struct hot_paths;

/*
 * Returns NULL if memory is out. found_before: an earlier recording has found hot paths of the
 * program, so records are examined less often.
 */
struct hot_paths *hot_paths_new(const struct session *session, bool found_before);
void hot_paths_free(struct hot_paths *hot_paths);

/*
 * Returns true if superblocks of hot paths are longer than others. With short ones, limits are kept
 * with less overrun, and counting variants take less room.
 */
bool hot_paths_are_long(const struct session *session);

/* Returns how many instructions a superblock has at most. */
unsigned hot_paths_most_insns(const struct session *session);

/* Makes hot_paths_records() examine the next records. */
void hot_paths_begin(struct hot_paths *hot_paths);

/* Examines records. Mostly returns at once. Called by the thread that writes the records. */
void hot_paths_records(struct hot_paths *hot_paths, const struct cache *cache, const uint8_t *from,
		       const uint8_t *to);

/* Moves the chains found since the last call to `chains`, and returns their number. */
unsigned hot_paths_take(struct hot_paths *hot_paths, struct chain chains[HOT_PATHS_CHAINS]);

/* Forgets all chains, because the translations are about to be freed. No thread may be examining
 * records. */
void hot_paths_forget(struct hot_paths *hot_paths);

#endif
