/* SPDX-License-Identifier: MIT */
/*
 * Syscall user dispatch: while a thread has it, the kernel judges its system calls by where they are
 * made, and raises SIGSYS instead of those outside of a range. So they are made at their own places,
 * and calls of the recorder are made while it is off.
 */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "recorder/core/session.h"

/* As ptrace(2) has it, struct ptrace_sud_config. */
struct dispatch_config {
	uint64_t mode, selector, offset, length;
};

/* A system call has ended that may have set it; what the kernel tells of a task that ran natively. */
void dispatch_leaving(struct task *task);
void dispatch_look(struct task *task);

/* Turns it off for a call of the recorder, and on again. False: that is not possible. */
bool dispatch_suspend(struct task *task);
void dispatch_resume(struct task *task);

#endif
