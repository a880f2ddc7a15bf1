/* SPDX-License-Identifier: MIT */
/* Attaches to a running process. */
#ifndef ATTACH_H
#define ATTACH_H

#include "recorder/core/session.h"

/* Finds out whether options->pid can be recorded. Returns 0, or -1 with the error. */
int attach_check(struct session *session);

/*
 * Stops all threads of the process and begins the recording: its first events are the mappings.
 * The threads are resumed by event_loop_run. After a failure that lets them go. Returns 0 or -1.
 */
int attach(struct session *session);

#endif
