/* SPDX-License-Identifier: MIT */
/*
 * The counters of a thread's exits, which counting variants increment with --vectors (count.c).
 */
#ifndef EXIT_COUNTERS_H
#define EXIT_COUNTERS_H

#include "recorder/translate/thread/thread.h"

/* Returns the offset of the counters from the gs base, or 0 if exits are not counted. */
uint32_t exit_counters_at(const struct task *task);

/*
 * Returns the counters of a task that is out of the cache, by exit number, or NULL if the task has
 * none. There are cache_exits() of them.
 */
uint32_t *exit_counters_of(const struct task *task);

#endif
