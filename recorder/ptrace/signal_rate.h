/* SPDX-License-Identifier: MIT */
/*
 * Limits the rate of signals. Delivering a signal under the recorder takes 0.1 ms and more. If a
 * timer sends the next signal within that time, the program would execute its handler and nothing
 * else. So a task that gets one signal right behind the other runs for a while between two of them,
 * with signals blocked that the program does not block. Signals that are sent meanwhile are
 * pending, and the kernel merges those of a timer as it always does.
 *
 * The task makes system calls that wait or report signals with the program's own mask, so that
 * signals interrupt these calls as they do natively.
 */
#ifndef SIGNAL_RATE_H
#define SIGNAL_RATE_H

#include "recorder/core/session.h"

/* Counts the signal in task->signals.info, which is about to be delivered to a handler. */
void signal_rate_arrived(struct task *task);

/*
 * Blocks signals, if they come too fast, for a task that goes on at its handler's first
 * instruction, behind a handler, or with another mask.
 */
void signal_rate_goes_on(struct task *task);

/* Sets the mask for a system call that the task has entered. */
void signal_rate_syscall(struct task *task);

/* Returns true if the recorder blocks signals for the task. */
bool signal_rate_is_limited(const struct task *task);

/*
 * Returns true if signals are blocked for the task, have been for long enough, and the task has
 * executed enough since.
 */
bool signal_rate_is_over(struct task *task, double now);

/* Restores the program's mask if the recorder blocks signals. */
void signal_rate_end(struct task *task);

#endif
