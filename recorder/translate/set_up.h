/* SPDX-License-Identifier: MIT */
/* What a task needs to run in the cache of its address space. */
#ifndef SET_UP_H
#define SET_UP_H

#include "recorder/translate/thread/thread.h"

/* Gives a synchronized task all that it needs to run in its cache. False: it is to be stepped. */
bool thread_set_up(struct task *task);

/* Takes that away. The task is not in the cache, and has no record unread. */
void thread_give_up_area(struct task *task);

#endif
