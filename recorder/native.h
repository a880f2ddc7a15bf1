/* SPDX-License-Identifier: MIT */
/* Running natively: until --from, with breakpoints at the symbol, wherever it is mapped; and between
 * windows. */
#ifndef NATIVE_H
#define NATIVE_H

#include "recorder/session.h"

/* Sets breakpoints in a stopped task's process if it has the symbol mapped. */
void native_arm(struct task *task);

/* Takes them out of its memory. */
void native_disarm(struct task *task);

/* Resumes a task in PHASE_NATIVE: freely between windows and once breakpoints are set, else from
 * system call to system call, to see what it maps. Returns 0 or -1. */
int native_resume(struct task *task);

/* It has stopped in PHASE_NATIVE. Returns 0 or -1. */
int native_stopped(struct task *task, int status);

/* After PHASE_NATIVE: true if it stopped at a breakpoint, and then it stands before the
 * instruction that is there. */
bool native_at_breakpoint(struct task *task, int status);

/* Before a task that has run natively is resumed by the backend. Returns 0 or -1. */
int native_take_over(struct task *task);

#endif
