/* SPDX-License-Identifier: MIT */
/*
 * Translations of code that may change. They compare it each time before it runs (code_check.c).
 * One that finds a difference is retired; its pc may get others, one for each version of the code,
 * of which one is live. It begins with a nop, whose place a trap or a jump to the live one takes by
 * single stores, so other threads may run in it meanwhile.
 */
#ifndef VERSIONS_H
#define VERSIONS_H

#include "recorder/core/session.h"
#include "recorder/translate/cache/cache.h"

/* The code of the live, checked translation has changed. */
void versions_retire(struct cache *cache, struct translation *translation);

/* Makes a retired translation of pc live again whose code is there now, and returns it, or NULL;
 * counted: as for cache_find. */
struct translation *versions_find(const struct task *task, struct cache *cache, uint64_t pc,
				  bool counted);

/* Leads the retired ones of its pc to a live one. */
void versions_lead(struct cache *cache, struct translation *live);

/*
 * The space's mappings have changed: suspends translations of code that must not be executed any
 * more, and makes those live again whose code may be. Each of them will compare it.
 */
void versions_follow(struct cache *cache, struct space *space);

#endif
