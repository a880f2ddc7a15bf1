/* SPDX-License-Identifier: MIT */
/*
 * Caches outlive the processes that used them: a program that is executed again, its code at the
 * same places, finds its translations. If others still run it, they share them.
 */
#ifndef PERSISTENT_CACHE_H
#define PERSISTENT_CACHE_H

#include "recorder/translate/cache/cache.h"

/* A new cache for the task's process. NULL: there is no memory. */
struct cache *persistent_cache_new(struct task *task);

/* One that has all of the stable code of the task's process, of which nothing has been translated
 * yet, or a new one. NULL: there is no memory. */
struct cache *persistent_cache_find(struct task *task);

/* One process less uses it. Of those that nobody uses, the ones used last are kept. */
void persistent_cache_leave(struct session *session, struct cache *cache);

/* Frees those that nobody uses. */
void persistent_caches_free(struct session *session);

#endif
