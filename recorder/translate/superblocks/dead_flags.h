/* SPDX-License-Identifier: MIT */
/* Finds flags that the program replaces before it reads them. Counting variants need not keep such
 * flags. */
#ifndef DEAD_FLAGS_H
#define DEAD_FLAGS_H

#include "recorder/translate/thread/thread.h"

/* Sets flags_dead at the exits of a plan. */
void dead_flags_find(struct task *task, struct plan *plan);

#endif
