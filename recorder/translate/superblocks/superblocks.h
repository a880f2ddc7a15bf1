/* SPDX-License-Identifier: MIT */
/* Finds or makes the translation of a superblock that begins at an address of a program. */
#ifndef SUPERBLOCKS_H
#define SUPERBLOCKS_H

#include "recorder/translate/thread/thread.h"

/*
 * Finds the translation at pc in the task's cache or makes one. Sets *superblock to NULL if the
 * code there has to be stepped, or if it needs memory that only a stopped task can get. The task
 * may stand or run anywhere. Returns 0 or -1.
 */
int superblock_at(struct task *task, uint64_t pc, struct translation **superblock);

/* Does the same for the target of an exit. An exit that leads back is not linked into the middle of
 * another superblock. */
int superblock_behind(struct task *task, const struct translation *from, unsigned exit,
		      struct translation **superblock);

/* Does the same for the target of an indirect jump. */
int superblock_jumped_to(struct task *task, uint64_t pc, struct translation **superblock);

/* Does the same for a bounded superblock: a counting variant of fewer than n_insns instructions,
 * after which the task leaves the cache. */
int superblock_within(struct task *task, uint64_t pc, uint64_t n_insns,
		      struct translation **superblock);

#endif
