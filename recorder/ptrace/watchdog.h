/* SPDX-License-Identifier: MIT */
/*
 * Ends a recording that makes no progress. A task makes progress when an instruction of the program
 * retires: backends add to task->progress then. A task that sleeps, is stopped or waits for its
 * turn is not watched: only CPU time of its own, or stops one behind the other, count against it.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include "recorder/core/session.h"

/*
 * To be called now and then while tasks run; now: session_now(). Returns 0, or -1 with the error of
 * a task that makes no progress.
 */
int watchdog_look(struct session *session, double now);

/*
 * A stopped task is about to be resumed. If it is under suspicion it is synchronized, which tells
 * what it has executed. Returns 0, or -1 with the error.
 */
int watchdog_resume(struct task *task);

/* Notes that a signal for the task has arrived. */
void watchdog_signal(struct task *task, int signal);

#endif
