/* SPDX-License-Identifier: MIT */
/*
 * Which part of the program is recorded. In this order, each as far as asked for:
 *
 *	native until the function --from is entered         PHASE_NATIVE
 *	--skip=N instructions are counted, not recorded     PHASE_SKIP
 *	recorded, until the first of:                       PHASE_RECORD
 *		--count=N instructions are recorded, the function --to is entered,
 *		--time=S seconds of recording are over, --max-size is reached
 *	native to its end                                   PHASE_DONE
 *
 * With --every and --for, PHASE_RECORD is one of many windows. Up to the next one the program runs
 * natively, if that one begins by time; else it is followed, as nothing else can count its
 * instructions.
 *
 * Instructions are those of all threads and processes together. What is left out is marked by GAP
 * events, what is recorded by a region. See region_bounds.h for how it begins and ends.
 */
#ifndef REGION_H
#define REGION_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

/* True in PHASE_RECORD: executions and their events go to the trace. */
bool region_recording(const struct session *session);

/* True in PHASE_SKIP: instructions are only counted. */
bool region_counting(const struct session *session);

/* So many instructions have been executed. Returns how many may still be; for several threads. */
uint64_t region_use(struct session *session, uint64_t instructions);

/* How many may be executed until the phase ends. */
uint64_t region_left(const struct session *session);

/* True once an instruction has been recorded: --to may be the function that --from was. */
bool region_begun(const struct session *session);

/* The program is about to begin. Functions that write events return 0 or -1. */
int region_start(struct task *task);

/* A thread has begun: its region does, too, unless nothing is recorded. */
int region_join(struct task *task);

/* From now on instructions are counted, if --skip says so, or recorded; they are recorded. All
 * tasks are synchronized or run natively. */
int region_follow(struct session *session);
int region_record(struct session *session);

/* Writes region events, in the stream of each thread: it has a region of its own. */
int region_write_marks(const struct session *session, enum tf_event_kind kind);

/* True if a window is to begin or to end. */
bool region_window_is_due(const struct session *session, double now);

/* Ends the recording because the recorder cannot go on, or time is over; reason as for
 * tf_writer_finish, constant. */
void region_stop(struct session *session, const char *reason);

/* The task has executed instructions that nobody can tell. */
int region_lose(struct task *task);

/* The task is let go: tells in its stream that it goes on. */
int region_leave(struct task *task);

#endif
