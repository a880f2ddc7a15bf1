/* SPDX-License-Identifier: MIT */
/* Writes the records of translated code to the task's stream. */
#ifndef RECORDS_H
#define RECORDS_H

#include "recorder/translate/thread/thread.h"

/*
 * Writes the records in [from, to) of a task's buffer to its stream. Corrects slots in place.
 * Returns 0 or -1.
 */
int records_write(struct task *task, uint8_t *from, const uint8_t *to);

/*
 * Ends a window after its last instruction. The task is stopped and has nothing left to be written.
 * Instructions executed after the window's end count for what follows. The functions below call
 * this one themselves.
 */
int records_end(struct task *task);

/* Writes a superblock that was left by exit number `exit`. Its slots are at `record`, whose header
 * may be missing. */
int records_write_exit(struct task *task, struct translation *superblock, unsigned exit,
		       uint8_t *record);

/* Writes a superblock that was left inside, after `executed` instructions. The task's rsp is the
 * program's. */
int records_write_partial(struct task *task, struct translation *superblock, unsigned executed,
			  uint8_t *record);

/*
 * Add to the present interval, see intervals.h: executions of a superblock that was left by exit
 * number `exit`, or inside, after `executed` instructions. Return 0 or -1.
 */
int records_count_exit(struct task *task, struct translation *superblock, unsigned exit,
		       int64_t times);
int records_count_partial(struct task *task, struct translation *superblock, unsigned executed,
			  int64_t times);

/*
 * Adds the counters of the exits of a task that is out of the cache to the present interval, and
 * sets them to 0. Returns 0 or -1.
 */
int records_take_exit_counters(struct task *task);

/* Does so if the counters, which have 32 bits, could overflow before the task leaves the cache
 * again. */
int records_keep_exit_counters(struct task *task);

#endif
