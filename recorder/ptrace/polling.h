/* SPDX-License-Identifier: MIT */
/*
 * The recorder, instead of sleeping until a task stops, polls tasks that run on other CPUs:
 * they ask for something, and go on when they have it, without a stop (backend->serve). Only while
 * they do so again and again, as this takes a CPU; and only where both have one: if a task waits in
 * vain, or the recorder has been kept from running, stops are better for a while.
 */
#ifndef POLLING_H
#define POLLING_H

#include "recorder/core/session.h"

/* True if it can now. Who samples may look at the session only while the recorder sleeps. */
bool poll_is_possible(const struct session *session);

/* The recorder will poll until nobody has asked for anything for a while. */
void poll_begin(struct session *session);

/* True if it will. */
bool poll_is_on(const struct session *session);

/* The same, of which a task that is about to run is told. */
bool poll_announce(struct session *session);

/* A task has asked, and has not been heard. */
void poll_failed(struct session *session);

/* Attends, as long as it is on; all tasks know then that it is not any more. Returns as waitpid
 * does, 0 if nobody asks any more, or on failure to serve somebody. */
pid_t poll_tasks(struct session *session, int *status);

#endif
