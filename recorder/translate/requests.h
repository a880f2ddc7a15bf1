/* SPDX-License-Identifier: MIT */
/*
 * Answers tasks that ask for translations while they run (emit/request_stub.h). If an answer
 * requires the task to be stopped, the task traps, and trap_dispatch.h handles it.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "recorder/core/session.h"

/* Resets the request of a task that is about to run in the cache. */
void requests_begin(struct task *task);

/* Records that the task has stopped at a trap of request_stub.h. */
void requests_trapped(struct task *task);

/* Serves every task that has a request; returns true if there was one. With `last`, tasks trap from
 * now on instead of waiting for an answer. */
bool requests_serve(struct session *session, bool last);

#endif
