/* SPDX-License-Identifier: MIT */
/*
 * Keeps the x87 pointers true: the program finds addresses of its own code in them, not of
 * translated code. Processors of AMD keep the pointers over a stop only while an x87 exception is
 * pending; on those, translated code stores in context.x87 where the pointers are:
 *
 *	X87_HARDWARE	in the processor, unless the task has stopped since
 *	X87_KEPT	in task->x87
 *	other values	the pointers are those of an x87 instruction; the value is
 *			the low 32 bits of its address in the cache
 */
#ifndef X87_POINTERS_H
#define X87_POINTERS_H

#include "recorder/translate/thread/state_reconstruction.h"

enum { X87_HARDWARE, X87_KEPT };

/* Sets context.x87 of a task that is about to enter the cache. */
void x87_pointers_enter(struct task *task);

/* Corrects the pointers in memory after the instruction before cache pc has stored them. Does not
 * change the task's registers. */
void x87_pointers_stored(struct task *task, uint64_t pc);

/* Corrects the pointers in the registers of a task that leaves the cache at pc, or keeps them in
 * task->x87. */
void x87_pointers_leave(struct task *task, uint64_t pc);

#endif
