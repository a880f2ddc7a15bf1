/* SPDX-License-Identifier: MIT */
/*
 * Delivering a signal takes longer here than natively: 0.1 ms and more. Where a timer sends the
 * next one within that, the program would execute its handler and nothing else, for ever. So a task
 * that gets one signal behind the other runs for a while between two of them, with signals blocked
 * that the program does not block. Those that are sent meanwhile are pending; timers merge theirs
 * as they always do.
 *
 * * A system call that waits, or tells of signals, is made with the program's own mask, and is
 * interrupted as it would be natively.
 */
#ifndef SIGNAL_RATE_H
#define SIGNAL_RATE_H

#include "recorder/core/session.h"

/* The signal in task->signals.info has arrived, and is about to be delivered to a handler. */
void signal_rate_arrived(struct task *task);

/* The task goes on at its handler's first instruction, where a handler has returned to, or with
 * another mask. */
void signal_rate_goes_on(struct task *task);

/* Sets the mask for a system call that the task has entered. */
void signal_rate_syscall(struct task *task);

/* Returns true if the recorder blocks signals for the task. */
bool signal_rate_is_limited(const struct task *task);

/*
 * Returns true if signals are blocked for the task, have been for long enough, and the task has
 * executed something since.
 */
bool signal_rate_is_over(struct task *task, double now);

/* Gives the task its own mask, if it has not got it. */
void signal_rate_end(struct task *task);

#endif
