/* SPDX-License-Identifier: MIT */
/*
 * Instead of sleeping until a task stops, the recorder polls tasks that run on other CPUs: they
 * make requests, and go on with the answer, without a stop (backend->serve). A program that starts
 * needs new code thousands of times, and a stop takes as long as translating several superblocks;
 * between two CPUs, an answer takes 0.5 us. The recorder polls only while tasks make requests again
 * and again, as polling takes a CPU, and only if recorder and task have a CPU each: on a machine
 * where more threads could run than there are CPUs, polling takes the time of the others, and also
 * of the task, up to three times as long as stops on one CPU. After a request in vain, or a gap in
 * which the recorder did not run, stops are better for a while, each time twice as long.
 */
#ifndef POLLING_H
#define POLLING_H

#include "recorder/core/session.h"

/* Prepares polling for a recorder that may use so many CPUs. */
void poll_set_up(struct session *session, unsigned cpus);
void poll_tear_down(struct session *session);

/*
 * Returns true if polling is possible now. The sampling thread may look at the session only while
 * the recorder sleeps.
 */
bool poll_is_possible(struct session *session);

/* Makes the recorder poll until there has been no request for a while. */
void poll_begin(struct session *session);

/* Returns true if the recorder will poll. */
bool poll_is_on(const struct session *session);

/* As poll_is_on(); called before resuming a task, which then relies on the answer. */
bool poll_announce(struct session *session);

/* Counts a request of a task that was not served. */
void poll_failed(struct session *session);

/*
 * The first reports that serving a request has failed, with session->error; the second returns
 * true if one has; the third does so once.
 */
void poll_fail(struct session *session);
bool poll_has_failed(const struct session *session);
bool poll_take_failure(struct session *session);

/*
 * Polls as long as polling is on; afterwards all tasks know that it is off. Returns as waitpid
 * does; 0 if there are no more requests, or if serving one has failed.
 */
pid_t poll_tasks(struct session *session, int *status);

#endif
