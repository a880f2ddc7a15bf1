/* SPDX-License-Identifier: MIT */
/* System calls that a task makes for the recorder. */
#ifndef REMOTE_H
#define REMOTE_H

#include "recorder/core/session.h"

/* Looks for an instruction that remote_syscall can use: in the vdso, or else in any module. */
void remote_find_place(struct task *task);

/*
 * Lets a stopped task execute one system call, at the place that remote_find_place() has found, and
 * restores its registers. The task must not be in a system call or behind an interrupted one
 * (syscalls_interrupted()), which the kernel would then not restart. The call must not end the
 * task, create others, or block. Returns the result as the kernel gives it (negative: -errno), or
 * -EAGAIN if no place is known.
 *
 * Returns -ETIMEDOUT with session->error if the task is still in the call after the watchdog's
 * call_limit. The task is then TASK_DYING until it stops after all; call remote_finish() then.
 */
int64_t remote_syscall(struct task *task, uint64_t number, const uint64_t args[6]);

/* Restores the registers of a stopped task that was late in a call. */
void remote_finish(struct task *task);

/*
 * Returns true if remote calls are possible. If seccomp confines the task in a way that the
 * recorder has not seen, a call that is not allowed would kill the task, and only CAP_SYS_ADMIN can
 * suspend the confinement.
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
