/* SPDX-License-Identifier: MIT */
/* Makes superblocks of chains: blocks that are known to be executed one after the other. */
#ifndef CHAINS_H
#define CHAINS_H

#include "recorder/translate/thread/hot_paths.h"

/* most extensions at a pc: later code changes over time, but the number must be bounded */
enum { LAST_GENERATION = 4 };

/*
 * Translates the chain's blocks as one superblock, as far as they fit: one that extends the head,
 * or, if the chain shares no block with it, one of its own. Returns what cache_add() does;
 * CACHE_FULL also if nothing fits.
 */
int chain_translate(struct task *task, const struct chain *chain, struct translation **superblock);

/*
 * Extends or replaces the chain's head by the chain's blocks, as far as possible. The task is
 * stopped at `stopped`. Returns 0 or -1.
 */
int superblock_from_chain(struct task *task, const struct chain *chain, uint64_t stopped);

#endif
