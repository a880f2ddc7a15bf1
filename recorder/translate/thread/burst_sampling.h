/* SPDX-License-Identifier: MIT */
/*
 * Where instructions are only counted there are no records that tell which superblocks are worth being
 * joined. So a thread is sampled in a burst now and then: for a moment it runs in superblocks that record, and its
 * records are profiled, counted and dropped. What is joined then is joined where it is only
 * counted, too (counting_variants.h).
 */
#ifndef BURST_SAMPLING_H
#define BURST_SAMPLING_H

#include "recorder/translate/thread/thread.h"

/* The synchronized task is about to enter the cache: decides whether it is sampled in a burst. */
void burst_decide(struct task *task);

/* True if the task's instructions are only counted: it is not sampled in a burst either. */
bool burst_only_counts(const struct task *task);

/* How many instructions it may execute until the next burst, more or less. */
uint64_t burst_next(const struct task *task);

#endif
