/* SPDX-License-Identifier: MIT */
/*
 * Hides the signals that the recorder raises from the program. Each step and each int3 of the
 * recorder raises SIGTRAP. Each store behind a full buffer raises SIGSEGV. Comparing code raises
 * SIGBUS while the program has alignment checked. If the program blocks or ignores such a signal,
 * the kernel removes it from the mask and resets its action, under gdb as well. So this file keeps
 * mask and action as the program set them, and restores them wherever the program, or the kernel on
 * its behalf, could see them: before a system call, before a signal, and at the end. Such a signal
 * that belongs to the program has the same effect as without the recorder.
 */
#ifndef TRAPS_H
#define TRAPS_H

#include "recorder/core/session.h"

/* Reads the actions that a new program inherits. */
void traps_exec(struct task *task);

/* Adapts the actions that a new process has from its parent; clone_flags: those of clone(2). */
void traps_child(struct process *process, uint64_t clone_flags);

/* Reads the mask and actions of a task that has run natively. */
void traps_take_over(struct task *task);

/* Reads the mask of a new thread at its first stop. */
void traps_read_mask(struct task *task);

/* Returns true if the program blocks the signal. */
bool traps_are_blocked(const struct task *task, enum own_signal own);

/* Returns true if the kernel has the task's mask and holds its blocked signals. */
bool traps_are_restored(const struct task *task);

/*
 * Unmasks SIGTRAP for a task that is about to run. A trap that is blocked resets the process's
 * action as well, which ends the program if another thread is just receiving a SIGTRAP.
 */
void traps_unmask(struct task *task);

/* Records that the recorder has raised such a signal, or raises it as soon as the task runs. */
void traps_raise(struct task *task, enum own_signal own);

/*
 * Restores mask and action of a task that stands before a system call instruction or has come back
 * from one.
 */
void traps_before_syscall(struct task *task);
void traps_after_syscall(struct task *task);

/* Restores masks and actions, before a signal is delivered or the task is released. */
void traps_restore(struct task *task);

/*
 * Lets the task send itself a signal with this info; no other process may send it with the true
 * origin. Returns false if the task cannot.
 */
bool traps_send(struct task *task, siginfo_t *info);

/* Follows the kernel's changes as the task enters the handler of task->signals.info. */
void traps_entered(struct task *task);

enum trap_fate {
	TRAP_DELIVER, /* to a handler */
	TRAP_FATAL,   /* the signal will end the program */
	TRAP_DROP,    /* ignored, or held until it is no longer blocked */
};

/*
 * Holds a signal that arrives although the kernel blocks it. Returns false for others. While a
 * fault is pending, the kernel delivers a signal that the program has sent itself with the si_code
 * of a fault before it, blocked or not (dequeue_synchronous_signal() of Linux).
 */
bool traps_hold(struct task *task, int signal);

/* Decides the fate of such a signal that is the program's own; it is in task->signals.info. */
enum trap_fate traps_arrived(struct task *task);

#endif
