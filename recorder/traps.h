/* SPDX-License-Identifier: MIT */
/*
 * Keeping our SIGTRAPs from the program. Each step raises SIGTRAP; where the program blocks or
 * ignores that, the kernel takes it out of its mask and resets its action (seen with gdb as well).
 * So mask and action as the program set them are kept here, and put back whenever the program or
 * the kernel on its behalf can look: before a system call, before a signal, and at the end. And
 * a real SIGTRAP is treated as it would be without us.
 */
#ifndef TRAPS_H
#define TRAPS_H

#include "recorder/session.h"

/* A new program: what it inherits. */
void traps_exec(struct task *task);

/* A new thread at its first stop, or a task at the start of a handler: reads its mask. */
void traps_read_mask(struct task *task);

/* It is about to be stepped. */
void traps_step(struct task *task);

/* It stands before a system call instruction, or has come back from one. */
void traps_before_syscall(struct task *task);
void traps_after_syscall(struct task *task);

/* A signal is about to be delivered, or the task to be let go: puts mask and action back. */
void traps_restore(struct task *task);

enum trap_fate {
	TRAP_DELIVER,	/* to a handler */
	TRAP_FATAL,	/* it will end the program */
	TRAP_DROP,	/* ignored, or held until it is no longer blocked */
};

/* A SIGTRAP of the program's own has arrived; task->info tells about it. */
enum trap_fate traps_arrived(struct task *task);

#endif
