/* SPDX-License-Identifier: MIT */
/*
 * Begins or ends the recorded part while tasks run, and runs them natively outside of it: until
 * --from, and between windows. To begin or to end a part, tasks are stopped or synchronized first.
 * Functions return 0 or -1.
 */
#ifndef REGION_BOUNDS_H
#define REGION_BOUNDS_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

/* Begins recording when --from or the time of the next window has been reached natively. */
int region_from(struct task *task);

/* Ends the phase whose budget is used up. */
int region_budget(struct task *task);

/*
 * Ends the interval at an armed head of a loop, before which the task stands, if the interval's
 * instructions have executed.
 */
int region_head(struct task *task);

/* Ends the window where the task stands. */
int region_window_end(struct task *task);

/*
 * Ends the recording where the task stands. The reason is that of tf_writer_finish, a constant
 * string.
 */
int region_end(struct task *task, const char *reason);

/* ---- native execution ---- */

/*
 * Resumes a task in PHASE_NATIVE. Between windows, and once breakpoints are set, the task runs
 * freely; otherwise it stops at each system call, so that the recorder sees what it maps.
 */
int native_resume(struct task *task);

/* Serves a stop in PHASE_NATIVE; status is that of waitpid. */
int native_stopped(struct task *task, int status);

/* Takes over a task that has run natively, before the backend resumes it. */
int native_take_over(struct task *task);

#endif
