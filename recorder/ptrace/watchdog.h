/* SPDX-License-Identifier: MIT */
/*
 * Ends a recording that makes no progress. A task makes progress when an instruction of the program
 * retires: backends add to task->progress then. A task that sleeps, is stopped or waits for its
 * turn is not watched. Only its own CPU time, or many stops in a row, make a task suspicious.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include "recorder/core/session.h"

/*
 * Looks at all tasks; the event loop calls it at each tick. now: session_now(). Returns 0, or -1
 * with the error of a task that makes no progress.
 */
int watchdog_look(struct session *session, double now);

/*
 * Synchronizes a suspected task that is about to be resumed, which shows what it has executed.
 * Returns 0, or -1 with the error.
 */
int watchdog_resume(struct task *task);

/* Counts a signal that has arrived for the task. */
void watchdog_signal(struct task *task, int signal);

#endif
