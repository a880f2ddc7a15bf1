/* SPDX-License-Identifier: MIT */
/* The event loop: waits for stops and handles them for tasks and processes. */
#ifndef EVENT_LOOP_H
#define EVENT_LOOP_H

#include "recorder/core/loop.h"

/* Serves the tasks until all have ended or are released. Returns 0, or -1 with session->error. */
int event_loop_run(struct session *session);

#endif
