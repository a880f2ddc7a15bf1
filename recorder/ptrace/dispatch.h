/* SPDX-License-Identifier: MIT */
/*
 * Syscall user dispatch. The kernel judges the system calls of a thread that uses it by their
 * addresses: a call outside of a range raises SIGSYS before any stop. So the program's calls are
 * made at their own places, and the dispatch is off while the thread makes a call of the recorder.
 * Kernels before 6.4 do not let a tracer turn it off, so the program's selector is set.
 */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "recorder/core/session.h"

/* The struct ptrace_sud_config of ptrace(2). */
struct dispatch_config {
	uint64_t mode, selector, offset, length;
};

/* Returns true if the task may make system calls only in some of its code. */
bool dispatch_is_on(const struct task *task);

/* Forgets the dispatch, which ends when the task executes a program. */
void dispatch_exec(struct task *task);

/*
 * Follows task->syscall, which has ended and may have set the dispatch.
 */
void dispatch_leaving(struct task *task);

/* Reads the dispatch of a task that has run natively from the kernel. */
void dispatch_look(struct task *task);

/*
 * Turn dispatch off for a call of the recorder, and on again. The first returns false if that is
 * impossible.
 */
bool dispatch_suspend(struct task *task);
void dispatch_resume(struct task *task);

#endif
