/* SPDX-License-Identifier: MIT */
/* System calls that a stop or a signal has interrupted. */
#ifndef SYSCALLS_INTERRUPTED_H
#define SYSCALLS_INTERRUPTED_H

#include "recorder/core/session.h"

/* True if the kernel will execute the system call again unless a handler comes in between. */
bool syscalls_interrupted(const struct task *task);

/* The task, interrupted in a system call, stands before the instruction again. */
void syscalls_undo(struct task *task);

/*
 * Some system calls fail with EINTR when the task is merely stopped, though no signal has come. If
 * that has happened to the task, which is stopped in it or at its end, it stands before the
 * instruction again.
 */
void syscalls_undo_stop(struct task *task);

/*
 * Makes the kernel begin the call again for a task that was stopped in it by no signal or by a
 * signal that the program ignores. The kernel reports ignored signals to a tracer; without one it
 * drops them.
 */
void syscalls_begin_again(struct task *task);

#endif
