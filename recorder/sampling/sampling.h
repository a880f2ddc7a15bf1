/* SPDX-License-Identifier: MIT */
/*
 * Samples the recorded program, or a program that runs natively: perf_event_open(2) on each CPU, a
 * buffer for each, and a thread that reads the buffers. If the session samples nothing, these
 * functions do nothing.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "recorder/core/session.h"

struct sampling;

/* Finds out whether and how the options' event can be sampled here. Returns 0 or -1. */
int sampling_prepare(struct session *session);

/*
 * Begins to sample a process: from its next exec on or, if the recorder is attached, all of its
 * threads at once. The trace must be open. Returns 0 or -1.
 */
int sampling_begin(struct session *session, pid_t pid);

/* Adds a task that has become a thread of the trace. Returns 0 or -1. */
int sampling_add_thread(struct session *session, const struct task *task);

/*
 * The first allows the thread that reads samples to look at the session, while the session waits
 * for a stop; the second ends that.
 */
void sampling_wait_begins(struct session *session);
void sampling_wait_ends(struct session *session);

/*
 * Finds the places in the program of all samples so far. Called before translations or the memory
 * of a process are freed, as samples may lie there.
 */
void sampling_place(struct session *session);

/* Reads the remaining samples and ends sampling. Returns 0 or -1. */
int sampling_end(struct session *session);

/* Returns how many samples are in the trace, and how many are known to be lost. */
void sampling_counts(const struct session *session, uint64_t *samples, uint64_t *lost);

void sampling_free(struct sampling *sampling);

#endif
