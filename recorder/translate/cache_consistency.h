/* SPDX-License-Identifier: MIT */
/*
 * Keeps the cache true to the task's program, and extends its superblocks. Where a change concerns
 * code that other threads may execute, those threads leave the cache first.
 *
 * The functions that return int return 0, -1 with session->error, or SYNCHRONIZE_STUCK
 * (event_loop.h). In the last case nothing has been done, and the caller steps the task.
 */
#ifndef CACHE_CONSISTENCY_H
#define CACHE_CONSISTENCY_H

#include "recorder/translate/thread/thread.h"

/* Applies changes of code and of watched calls that happened while the synchronized task was
 * outside the cache. If the task has no area afterwards, the caller steps it. */
int consistency_follow(struct task *task);

/* Extends the superblocks that hot-path detection has chosen. The task is stopped at cache pc
 * `stopped`, or outside the cache if that is 0. */
int consistency_extend(struct task *task, uint64_t stopped);

/* Discards all translations. The task is synchronized; if it has no area afterwards, the caller
 * steps it. */
int consistency_flush(struct task *task);

/* Returns true if an extended superblock continues past a return to pc, and therefore would not
 * report the return. */
bool consistency_hides_return(const struct cache *cache, uint64_t pc);

#endif
