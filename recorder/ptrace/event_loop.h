/* SPDX-License-Identifier: MIT */
/* The wait loop: who has stopped, and what that means for tasks and processes. */
#ifndef EVENT_LOOP_H
#define EVENT_LOOP_H

#include "recorder/core/loop.h"

/* Serves the tasks until all have ended or are let go. */
int event_loop_run(struct session *session);

#endif
