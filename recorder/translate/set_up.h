/* SPDX-License-Identifier: MIT */
/*
 * Allocates and releases the resources that a task needs to run in the cache of its address space.
 */
#ifndef SET_UP_H
#define SET_UP_H

#include "recorder/translate/thread/thread.h"

/* Gives a synchronized task all that it needs to run in its cache. Returns false if the task has to
 * be stepped. */
bool thread_set_up(struct task *task);

/* Releases those resources. The task is outside the cache and has no unread record. Returns 0 or
 * -1; the resources are released in both cases. */
int thread_tear_down(struct task *task);

#endif
