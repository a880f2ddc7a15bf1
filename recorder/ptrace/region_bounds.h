/* SPDX-License-Identifier: MIT */
/*
 * Where the recorded part begins or ends while tasks run: they are stopped or synchronized first.
 * Functions return 0 or -1.
 */
#ifndef REGION_BOUNDS_H
#define REGION_BOUNDS_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

/* --from has been reached natively, or the time of the next window. */
int region_from(struct task *task);

/* session->budget is used up. */
int region_budget(struct task *task);

/* The window ends where the task stands. */
int region_window_end(struct task *task);

/* The recording ends where the task stands; reason as for tf_writer_finish, constant. */
int region_end(struct task *task, const char *reason);

#endif
