/* SPDX-License-Identifier: MIT */
/*
 * Translations that tasks ask for while they run, see emit/request_stub.h. What cannot be done
 * without stopping the task makes it trap, and is done there: trap_dispatch.h.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "recorder/core/session.h"

/* A task is about to run in the cache. */
void requests_begin(struct task *task);

/* It has stopped at a trap of request_stub.h. */
void requests_trapped(struct task *task);

/* Serves a task that asks for something; true if there was one. last: from now on they trap. */
bool requests_serve(struct session *session, bool last);

#endif
