/* SPDX-License-Identifier: MIT */
/* System calls that a task makes for the recorder. */
#ifndef REMOTE_H
#define REMOTE_H

#include "recorder/core/session.h"

/* Looks for an instruction that remote_syscall can use: in the vdso, or else in any module. */
void remote_find_place(struct task *task);

/*
 * Lets a stopped task execute one system call at process->remote.syscall_pc and puts its registers back.
 * Not in a system call or after an interrupted one (syscalls_interrupted: the kernel would forget
 * to restart it), and not for calls that end it, create others, or may block. Returns the result
 * as the kernel gives it (negative: -errno); -EAGAIN if no place is known where it could make one.
 *
 * -ETIMEDOUT, and session->error: it is still in the call after session->watchdog.call_limit. It is
 * TASK_DYING until it stops after all; then remote_finish is to be called.
 */
int64_t remote_syscall(struct task *task, uint64_t number, const uint64_t args[6]);

/* Restores the registers of a stopped task that was late in a call. */
void remote_finish(struct task *task);

/*
 * Returns true if remote calls are possible. A task that is confined by seccomp in a way that the
 * recorder has not seen would be killed by a call that is not allowed, and suspending the
 * confinement takes CAP_SYS_ADMIN.
 */
bool remote_is_allowed(const struct task *task);

/* Passes on the rseq area to a child that has a copy of the memory of the task. */
void remote_child(struct task *child, const struct task *parent);

/*
 * Forgets what was known of the memory of a task that has executed a program, and looks for an
 * instruction as remote_find_place() does.
 */
void remote_exec(struct task *task);

/* Unregisters the task's rseq area in the kernel, if there is one. */
void remote_forget_rseq(struct task *task);

/* Registers the rseq area again before the task is released. */
void remote_restore_rseq(struct task *task);

#endif
