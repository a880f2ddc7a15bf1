/* SPDX-License-Identifier: MIT */
/*
 * Sampling what is recorded, or what runs natively: perf_event_open(2) on each CPU, a buffer
 * each, and a thread that reads them. With a session that samples nothing, all of it does
 * nothing.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "recorder/core/session.h"

struct sampling;

/* Finds out whether and how the options' event can be sampled here. Returns 0 or -1. */
int sampling_prepare(struct session *session);

/*
 * Samples a process: from the program that it executes next, or the running one with all of its
 * threads. The trace must be open. Returns 0 or -1.
 */
int sampling_begin(struct session *session, pid_t pid);

/* Adds a task that has become a thread of the trace. Returns 0 or -1. */
int sampling_add_thread(struct session *session, const struct task *task);

/*
 * The session waits, and lets the thread that reads samples look at it; and goes on, which keeps it
 * from that.
 */
void sampling_wait_begins(struct session *session);
void sampling_wait_ends(struct session *session);

/* Finds out where in the program all samples are, before what they are in goes: translations, or
 * the memory of a process. */
void sampling_place(struct session *session);

/* Reads what is left, and ends it. Returns 0 or -1. */
int sampling_end(struct session *session);

/* How many samples there are in the trace, and how many are known to be lost. */
void sampling_counts(const struct session *session, uint64_t *samples, uint64_t *lost);

void sampling_free(struct sampling *sampling);

#endif
