/* SPDX-License-Identifier: MIT */
/* Detects whether a task in the cache executes anything, by what it has recorded or counted. */
#ifndef ADVANCE_H
#define ADVANCE_H

#include "recorder/translate/thread/thread.h"

/* Starts to watch a task that enters the cache or whose buffer has been exchanged. */
void advance_begin(struct task *task);

/* Adds to task->progress if the task has recorded or counted something since. The task may be
 * running. */
void advance_note(struct task *task);

#endif
