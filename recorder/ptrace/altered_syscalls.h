/* SPDX-License-Identifier: MIT */
/*
 * System calls that differ from those that the program makes: calls that the recorder answers in
 * the kernel's place, calls that end because the recorder has stopped the task, and calls whose
 * arguments would keep a task from being recorded.
 */
#ifndef ALTERED_SYSCALLS_H
#define ALTERED_SYSCALLS_H

#include "recorder/core/session.h"

/*
 * Answers the system call before which a task is stopped with this result, in the kernel's place.
 */
void syscall_answer(struct task *task, int64_t result);

/* Keeps the kernel from making the call now: the task will make the call again. */
void syscall_put_off(struct task *task);

/* ---- interrupted calls ---- */

/*
 * Returns true if the kernel will execute the system call again unless a handler comes in between.
 */
bool syscalls_interrupted(const struct task *task);

/* Moves a task that was interrupted in a system call back before its instruction. */
void syscalls_undo(struct task *task);

/*
 * Moves a task back before its system call if a mere stop has ended the call: some calls then fail
 * with EINTR although no signal has come. The task is stopped in the call or behind it.
 */
void syscalls_undo_stop(struct task *task);

/*
 * Makes the kernel begin the call again for a task that was stopped in it by no signal or by a
 * signal that the program ignores. The kernel reports ignored signals to a tracer; without one it
 * drops them.
 */
void syscalls_begin_again(struct task *task);

/*
 * ---- CLONE_UNTRACED ----
 *
 * Children that a program starts with CLONE_UNTRACED would not be traced. The kernel gets the flag
 * cleared; parent and child get their registers and memory back as they were.
 */

/* Clears the flag in task->syscall, which the task enters. */
void untraced_clone_entering(struct task *task);

/* Prepares the child of such a call, which has not run yet. */
void untraced_clone_child(struct task *child, const struct task *parent);

/* Restores the flag for a task that leaves the call, or that the call has started. */
void untraced_clone_leaving(struct task *task);

/*
 * ---- shadow stacks ----
 *
 * With a shadow stack (Intel's and AMD's CET), a return must match the call that the processor has
 * seen, which translated code does not make. So programs cannot have one, under any backend.
 */

/* Refuses a shadow stack to a task that enters task->syscall. */
void shadow_stack_entering(struct task *task);

/* Returns true if a line of /proc/PID/status reports a shadow stack. */
bool shadow_stack_is_reported(const char *line);

/*
 * Returns 0, or -1 with session->error if the stopped task, which has run natively, has a shadow
 * stack.
 */
int shadow_stack_look(const struct task *task);

#endif
