/* SPDX-License-Identifier: MIT */
/*
 * Samples threads in bursts where instructions are only counted, as there are no records for
 * hot-path detection. Now and then, a thread runs for a moment in superblocks that record; its
 * records are profiled, counted and dropped. Superblocks that are extended as a result are extended
 * in their counting variants too (counting_variants.h).
 */
#ifndef BURST_SAMPLING_H
#define BURST_SAMPLING_H

#include "recorder/translate/thread/thread.h"

/*
 * Decides whether the synchronized task, which is about to enter the cache, is sampled in a burst.
 */
void burst_decide(struct task *task);

/* Returns true if the task's instructions are only counted, and it is not sampled in a burst. */
bool burst_only_counts(const struct task *task);

/* Returns about how many instructions the task may execute until the next burst. */
uint64_t burst_next(const struct task *task);

#endif
