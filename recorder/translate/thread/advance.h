/* SPDX-License-Identifier: MIT */
/* Whether a task in the cache executes anything: what it has recorded or counted by now tells. */
#ifndef ADVANCE_H
#define ADVANCE_H

#include "recorder/translate/thread/thread.h"

/* The task enters the cache, or its buffer has been changed for another one. */
void advance_begin(struct task *task);

/* Adds to task->progress if the task has recorded or counted something since. It may run. */
void advance_note(struct task *task);

#endif
