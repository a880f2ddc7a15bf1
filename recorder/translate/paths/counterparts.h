/* SPDX-License-Identifier: MIT */
/*
 * Joined paths where instructions are only counted: the blocks of a path that records, as far as
 * they have indirect jumps, led on where these lead elsewhere.
 */
#ifndef COUNTERPARTS_H
#define COUNTERPARTS_H

#include "recorder/translate/thread/thread.h"

/*
 * Adds the counterpart of a path, which takes the place of what was counted there. The task is
 * stopped at `stopped`, all others are out of the cache. Returns 0, also if there is no room, or
 * -1.
 */
int counterparts_add(struct task *task, struct translation *path, uint64_t stopped);

/* Likewise that of an extension of the path at the exit, if that is an indirect jump. */
int counterparts_extend(struct task *task, struct translation *path, unsigned exit,
			struct translation *extension, uint64_t stopped);

#endif
