/* SPDX-License-Identifier: MIT */
/*
 * Keeps caches longer than the processes that used them. A program that is executed again, with its
 * code at the same addresses, finds its translations. Processes that still run the program share
 * the cache.
 */
#ifndef PERSISTENT_CACHE_H
#define PERSISTENT_CACHE_H

#include "recorder/translate/cache/cache.h"

/* Creates a cache for the task's process. Returns NULL if there is no memory. */
struct cache *persistent_cache_new(struct task *task);

/* Finds a cache that has all stable code of the task's process, or creates one. The process has no
 * translations yet. Returns NULL if there is no memory. */
struct cache *persistent_cache_find(struct task *task);

/*
 * Ends a process's use of the cache. The most recently used of the caches without users are kept.
 */
void persistent_cache_leave(struct session *session, struct cache *cache);

/* Frees all caches without users. */
void persistent_caches_free(struct session *session);

#endif
