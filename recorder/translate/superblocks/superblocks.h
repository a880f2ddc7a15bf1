/* SPDX-License-Identifier: MIT */
/* From an address of a program to the translation of a superblock that begins there. */
#ifndef SUPERBLOCKS_H
#define SUPERBLOCKS_H

#include "recorder/translate/thread/hot_paths.h"
#include "recorder/translate/thread/thread.h"

/*
 * Finds the translation at pc in the task's cache or makes one; *superblock NULL: what is there is to be
 * stepped, or it needs memory that only a stopped task can get. The task may stand or run anywhere.
 * Returns 0 or -1.
 */
int superblock_at(struct task *task, uint64_t pc, struct translation **superblock);

/* The same where a superblock is left by an exit. A loop is not led into the middle of another superblock. */
int superblock_behind(struct task *task, const struct translation *from, unsigned exit,
		      struct translation **superblock);

/* The same for a superblock to which an indirect jump leads. */
int superblock_jumped_to(struct task *task, uint64_t pc, struct translation **superblock);

/* Likewise a bounded superblock: it has less than n_insns instructions, which are only counted, and behind
 * them the task leaves the cache. */
int superblock_within(struct task *task, uint64_t pc, uint64_t n_insns,
		      struct translation **superblock);

/*
 * Joins the blocks of a chain as far as possible and lets that take its head's place. The task is
 * stopped at `stopped`. Returns 0 or -1.
 */
int superblock_join(struct task *task, const struct chain *chain, uint64_t stopped);

#endif
