/* SPDX-License-Identifier: MIT */
/*
 * Loops that only wait for another thread. Such a loop has at most 32 instructions in at most 4
 * blocks, stands in adjacent code, contains pause, tpause, umwait, monitor, mwait or a call of
 * sched_yield, and stores nothing but to the stack. Whether code is such a loop depends on its
 * bytes only.
 */
#ifndef SPIN_LOOP_H
#define SPIN_LOOP_H

#include "recorder/program/code_block.h"

/*
 * Returns true if the instruction at source->pc is in such a loop. With `may_store`, the loop may
 * store anywhere, as one that tries to take a lock does. Lowers *limit, a number of bytes, to those
 * from there on that are in such a loop, or are not.
 */
bool spin_loop_at(const struct task *task, const struct code_source *source, bool may_store,
		  size_t *limit);

#endif
