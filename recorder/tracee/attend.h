/* SPDX-License-Identifier: MIT */
/*
 * The recorder, instead of sleeping until a task stops, attends to tasks that run on other CPUs:
 * they ask for something, and go on when they have it, without a stop (backend->serve). Only while
 * they do so again and again, as this takes a CPU; and only where both have one: if a task waits in
 * vain, or the recorder has been kept from running, stops are better for a while.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include "recorder/session.h"

/* True if it can now. Who samples may look at the session only while the recorder sleeps. */
bool attend_is_possible(const struct session *session);

/* The recorder will attend until nobody has asked for anything for a while. */
void attend_begin(struct session *session);

/* True if it will. */
bool attend_is_on(const struct session *session);

/* The same, of which a task that is about to run is told. */
bool attend_tell(struct session *session);

/* A task has asked, and has not been heard. */
void attend_failed(struct session *session);

/* Attends, as long as it is on; all tasks know then that it is not any more. Returns as waitpid
 * does, 0 if nobody asks any more, or on failure to serve somebody. */
pid_t attend(struct session *session, int *status);

#endif
