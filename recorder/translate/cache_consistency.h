/* SPDX-License-Identifier: MIT */
/*
 * Keeps what a task's cache has true to its program, and makes better superblocks of it. Where that
 * changes what other threads may be in, they are got out first. Functions return 0 or -1 with
 * session->error; or SYNCHRONIZE_STUCK (event_loop.h): nothing has been done, and the task is to be stepped.
 */
#ifndef CACHE_CONSISTENCY_H
#define CACHE_CONSISTENCY_H

#include "recorder/translate/thread/thread.h"

/* What has happened to code and calls while the synchronized task was not in the cache. It may be
 * without an area then: it is to be stepped. */
int consistency_follow(struct task *task);

/* Joins the superblocks that are worth it; the task is stopped at cache pc `stopped`, 0: not in it. */
int consistency_join(struct task *task, uint64_t stopped);

/* Throws away what has been translated; the task is synchronized, and may be without an area then. */
int consistency_flush(struct task *task);

/* True if a extended superblock goes on behind a return to pc, and so would not tell of it. */
bool consistency_hides_return(const struct cache *cache, uint64_t pc);

#endif
