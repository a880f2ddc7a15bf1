/* SPDX-License-Identifier: MIT */
/* Handles the stops of tasks in the cache: the recorder's own traps and faults, and signals. */
#ifndef TRAP_DISPATCH_H
#define TRAP_DISPATCH_H

#include "recorder/translate/thread/thread.h"

/* Handles a signal that has stopped the task in the cache; its registers have been read. Returns 0,
 * or -1 with session->error. */
int trap_dispatch(struct task *task, int signal);

/* Returns true if the recorder has a trap for an exit, a miss, a call or an x87 store at a cache
 * pc. */
bool trap_is_own(const struct cache *cache, uint64_t pc);

#endif
