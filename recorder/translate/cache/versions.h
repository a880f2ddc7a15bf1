/* SPDX-License-Identifier: MIT */
/*
 * Manages translations of code that may change. Such a translation compares the code before each
 * run (code_check.c). One that finds a difference is retired. Its pc may have others, one for each
 * version of the code, and one of them is live. A translation begins with a nop; a single store
 * replaces the nop by a trap or by a jump to the live one, so other threads may run in it
 * meanwhile.
 */
#ifndef VERSIONS_H
#define VERSIONS_H

#include "recorder/core/session.h"
#include "recorder/translate/cache/cache.h"

/* Retires the live translation, whose code has changed. */
void versions_retire(struct cache *cache, struct translation *translation);

/* Makes a retired translation of pc live again if its code is in memory now. Returns the
 * translation, or NULL. `counted` is that of cache_find(). */
struct translation *versions_find(const struct task *task, struct cache *cache, uint64_t pc,
				  bool counted);

/* Links the retired translations of the same pc to the live one. */
void versions_lead(struct cache *cache, struct translation *live);

/*
 * Follows a change of the space's mappings: suspends translations of code that must not be executed
 * any more, and revives those whose code may be. Each of the latter will compare the code again.
 */
void versions_follow(struct cache *cache, struct space *space);

#endif
