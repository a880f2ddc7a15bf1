/* SPDX-License-Identifier: MIT */
/* The program finds addresses of its own in the x87 pointers, not those of translated code. */
#ifndef X87_POINTERS_H
#define X87_POINTERS_H

#include "recorder/translate/thread/state_reconstruction.h"

/* A task stands in the cache behind an instruction that has stored the pointers: puts them right in
 * its memory. Its registers are left as they are. */
void x87_pointers_stored(struct task *task, uint64_t pc);

/* Likewise in the registers of a task that leaves the cache. */
void x87_pointers_leave(struct task *task);

#endif
