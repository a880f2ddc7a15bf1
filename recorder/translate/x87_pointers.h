/* SPDX-License-Identifier: MIT */
/*
 * The program finds addresses of its own in the x87 pointers, not those of translated code. Processors of AMD
 * keep the pointers over a stop only while an x87 exception is pending; there, translated code notes in
 * context.x87 where the pointers are:
 *
 *	X87_HARDWARE	in the processor, unless the task has stopped since
 *	X87_KEPT	in task->x87
 *	other values	they are of an x87 instruction; the low 32 bits of its address in the cache
 */
#ifndef X87_POINTERS_H
#define X87_POINTERS_H

#include "recorder/translate/thread/state_reconstruction.h"

enum { X87_HARDWARE, X87_KEPT };

/* A task is about to enter the cache. */
void x87_pointers_enter(struct task *task);

/* A task stands in the cache behind an instruction that has stored the pointers: puts them right in
 * its memory. Its registers are left as they are. */
void x87_pointers_stored(struct task *task, uint64_t pc);

/* A task stands in the cache at pc and leaves it: puts the pointers right in its registers, or keeps them. */
void x87_pointers_leave(struct task *task, uint64_t pc);

#endif
