/* SPDX-License-Identifier: MIT */
/* What is done where a task has stopped in the cache: traps and faults of ours, and signals. */
#ifndef TRAP_DISPATCH_H
#define TRAP_DISPATCH_H

#include "recorder/translate/thread/thread.h"

/* A signal has stopped it there; its registers have been read. Returns 0 or -1 with
 * session->error. */
int trap_dispatch(struct task *task, int signal);

/* True if a trap of ours for exits, misses or calls is at a cache pc. */
bool trap_is_own(const struct cache *cache, uint64_t pc);

#endif
