/* SPDX-License-Identifier: MIT */
/*
 * Keeping signals of our own from the program. Each step raises SIGTRAP, as each int3 of ours does;
 * each store behind a full buffer raises SIGSEGV; and SIGBUS comes of code that is compared while
 * the program has alignment checked. Where the program blocks or ignores such a
 * signal, the kernel takes it out of its mask and resets its action (seen with gdb as well). So
 * mask and action as the program set them are kept here, and put back whenever the program or the
 * kernel on its behalf can look: before a system call, before a signal, and at the end. And where
 * such a signal is really the program's, it is treated as it would be without us.
 */
#ifndef TRAPS_H
#define TRAPS_H

#include "recorder/core/session.h"

/* Reads the actions that a new program inherits. */
void traps_exec(struct task *task);

/* A new process, created with these flags of clone, which has its parent's actions. */
void traps_child(struct process *process, uint64_t clone_flags);

/* A task that has run natively: asks for what the program has set meanwhile. */
void traps_take_over(struct task *task);

/* A new thread at its first stop: reads its mask. */
void traps_read_mask(struct task *task);

/* Returns true if the program blocks the signal. */
bool traps_are_blocked(const struct task *task, enum own_signal own);

/* Notes that the recorder has raised such a signal, or will raise it as soon as the task runs. */
void traps_raise(struct task *task, enum own_signal own);

/*
 * Restores mask and action of a task that stands before a system call instruction or has come back
 * from one.
 */
void traps_before_syscall(struct task *task);
void traps_after_syscall(struct task *task);

/* A signal is about to be delivered, or the task to be let go: puts masks and actions back. */
void traps_restore(struct task *task);

/* Lets the task send itself a signal with this info: nobody else may send it with the true origin.
 * False: it cannot. */
bool traps_send(struct task *task, siginfo_t *info);

/* Notes that the task stands at the start of the handler of task->signals.info. */
void traps_entered(struct task *task);

/* True for SIGTRAP, SIGSEGV and SIGBUS. */
bool traps_keep(int signal);

enum trap_fate {
	TRAP_DELIVER, /* to a handler */
	TRAP_FATAL,   /* the signal will end the program */
	TRAP_DROP,    /* ignored, or held until it is no longer blocked */
};

/* Decides the fate of such a signal that is the program's own; it is in task->signals.info. */
enum trap_fate traps_arrived(struct task *task);

#endif
