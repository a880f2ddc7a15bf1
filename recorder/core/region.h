/* SPDX-License-Identifier: MIT */
/*
 * The part of the program that is recorded. These phases follow each other, each if the options
 * request it:
 *
 *	native until the function --from is entered         PHASE_NATIVE
 *	--skip=N instructions are counted, not recorded     PHASE_SKIP
 *	recorded, until the first of:                       PHASE_RECORD
 *		--count=N instructions are recorded, the function --to is entered,
 *		--time=S seconds of recording are over, --max-size is reached
 *	native to its end                                   PHASE_DONE
 *
 * With --every and --for, PHASE_RECORD is one of many windows. Up to the next one the program runs
 * natively if that window begins by time; else the backend runs it, as only the backend can count
 * its instructions.
 *
 * Instructions are those of all threads and processes together. GAP events mark the parts that are
 * left out, and a region marks the recorded part. See region_bounds.h for how it begins and ends.
 */
#ifndef REGION_H
#define REGION_H

#include "recorder/core/session.h"
#include "traceformat/tracewriter.h"

/* Returns true in PHASE_RECORD: executions and their events go to the trace. */
bool region_recording(const struct session *session);

/* Returns true in PHASE_SKIP: instructions are only counted. */
bool region_counting(const struct session *session);

/* Returns true in PHASE_NATIVE: the program runs natively until its recording begins or goes on. */
bool region_is_native(const struct session *session);

/* Returns true in PHASE_DONE: nothing more is recorded, and all tasks are released. */
bool region_is_over(const struct session *session);

/* Returns true once the first window has begun: --from and --skip are behind. */
bool region_is_entered(const struct session *session);

/*
 * Takes executed instructions off the budget and returns how many are left. Several threads may
 * call it.
 */
uint64_t region_use(struct session *session, uint64_t instructions);

/*
 * Takes executed instructions off the budget like region_use(), unless they are of excluded code
 * where only filtered instructions count: if they are not recorded, and intervals end by those.
 */
uint64_t region_use_of(struct session *session, uint64_t instructions, bool excluded);

/* Counts instructions that the task has executed and the recorder does not record. */
void region_skip(struct task *task, uint64_t instructions);

/* Returns how many instructions may be executed until the phase ends. */
uint64_t region_left(const struct session *session);

/*
 * Returns true if tasks run at the same time while they are counted. Each takes a part of the
 * budget along (translate/thread/quota.h). Near the end of the phase or of an interval the parts
 * become too small, and tasks run in turns. They do so from the start where places are found by
 * counts, and with serial threads.
 */
bool region_is_parallel(const struct session *session);

/* Returns true if so little of the budget is left, apart from the parts of tasks, that the tasks
 * must return their parts. */
bool region_runs_short(const struct session *session);

/* Lets tasks run in turns if little is left. All parts have been returned. */
void region_look_at_rest(struct session *session);

/* Returns true once an instruction has been recorded: --to may name the same function as --from. */
bool region_begun(const struct session *session);

/*
 * Begins the first phase, before the program executes anything. Functions that write events return
 * 0 or -1.
 */
int region_start(struct task *task);

/* Begins the region in the stream of a new thread, unless nothing is recorded. */
int region_join(struct task *task);

/*
 * region_follow() enters PHASE_SKIP if --skip requires it, else PHASE_RECORD; region_record()
 * enters PHASE_RECORD. All tasks are synchronized or run natively.
 */
int region_follow(struct session *session);
int region_record(struct session *session);

/*
 * Enters the phase that options->slices require where the program stands; all that tasks have
 * executed has been counted. Goes on recording if a slice is not complete. Sets *over, and leaves
 * the phase, if nothing more is to be recorded.
 */
int region_follow_points(struct session *session, bool *over);

/* Writes region events in the stream of each thread: each has a region of its own. */
int region_write_marks(const struct session *session, enum tf_event_kind kind);

/* Remembers the time at which the program begins. */
void region_start_clock(struct session *session);

/*
 * Requests the end of the recording, which comes when the tasks have been synchronized. The reason
 * is that of tf_writer_finish, a constant string.
 */
void region_request_end(struct session *session, const char *reason);

/* Returns the reason of region_request_end(), or NULL if the recording goes on. */
const char *region_requested_end(const struct session *session);

/*
 * Looks at the clock; now: session_now(). Requests the end of the recording if --time is over.
 * Returns true if the recording or a window is to end, or a window is to begin: tasks must stop.
 */
bool region_look(struct session *session, double now);

/* Returns true if it is time for a window to begin or to end. */
bool region_window_is_due(const struct session *session);

/*
 * Ends the recording because the recorder cannot go on or time is over. The reason is that of
 * tf_writer_finish, a constant string.
 */
void region_stop(struct session *session, const char *reason);

/*
 * The first returns why the recording has ended, "exit" if the program ended first; the second how
 * many seconds the program took until then. The first call determines both.
 */
const char *region_stop_reason(struct session *session);
double region_seconds(const struct session *session);

/* Writes a GAP event: the task has executed an unknown number of instructions. */
int region_lose(struct task *task);

/* Writes to the stream of a released task that the task goes on unrecorded. */
int region_leave(struct task *task);

#endif
