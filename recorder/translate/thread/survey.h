/* SPDX-License-Identifier: MIT */
/*
 * Where instructions are only counted there are no records that tell which paths are worth being
 * joined. So a thread is surveyed now and then: for a moment it runs in paths that record, and its
 * records are profiled, counted and dropped. What is joined then is joined where it is only
 * counted, too (counterparts.h).
 */
#ifndef SURVEY_H
#define SURVEY_H

#include "recorder/translate/thread/thread.h"

/* The settled task is about to enter the cache: decides whether it is surveyed. */
void survey_decide(struct task *task);

/* True if the task's instructions are only counted: it is not surveyed either. */
bool survey_only_counts(const struct task *task);

/* How many instructions it may execute until the next survey, more or less. */
uint64_t survey_next(const struct task *task);

#endif
