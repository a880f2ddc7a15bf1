/* SPDX-License-Identifier: MIT */
/*
 * Begins or ends the recorded part while tasks run: the tasks are stopped or synchronized first.
 * Functions return 0 or -1.
 */
#ifndef REGION_BOUNDS_H
#define REGION_BOUNDS_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

/* Begins recording when --from or the time of the next window has been reached natively. */
int region_from(struct task *task);

/* Ends the phase whose session->region.budget is used up. */
int region_budget(struct task *task);

/* Ends the window where the task stands. */
int region_window_end(struct task *task);

/*
 * Ends the recording where the task stands. The reason is that of tf_writer_finish, a constant
 * string.
 */
int region_end(struct task *task, const char *reason);

#endif
