/* SPDX-License-Identifier: MIT */
/*
 * Keeps what a task's cache has true to its program, and makes better paths of it. Where that
 * changes what other threads may be in, they are got out first. Functions return 0 or -1 with
 * session->error.
 */
#ifndef UPKEEP_H
#define UPKEEP_H

#include "recorder/translate/thread/thread.h"

/* What has happened to code and calls while the settled task was not in the cache. It may be
 * without an area then: it is to be stepped. */
int upkeep_follow(struct task *task);

/* Joins the paths that are worth it; the task is stopped at cache pc `stopped`, 0: not in it. */
int upkeep_join(struct task *task, uint64_t stopped);

/* Throws away what has been translated; the task is settled, and may be without an area then. */
int upkeep_flush(struct task *task);

/* True if a joined path goes on behind a return to pc, and so would not tell of it. */
bool upkeep_hides_return(const struct cache *cache, uint64_t pc);

#endif
