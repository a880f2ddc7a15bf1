/* SPDX-License-Identifier: MIT */
/* Flags that the program replaces before it reads them: counted superblocks need not keep them. */
#ifndef DEAD_FLAGS_H
#define DEAD_FLAGS_H

#include "recorder/translate/thread/thread.h"

/* Finds out at which exits of a plan the flags are dead. */
void dead_flags_find(struct task *task, struct plan *plan);

#endif
