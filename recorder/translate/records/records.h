/* SPDX-License-Identifier: MIT */
/* From the records of translated code to the task's stream. */
#ifndef RECORDS_H
#define RECORDS_H

#include "recorder/translate/thread/thread.h"

/*
 * Writes the records in [from, to) of a task's buffer to its stream; slots are corrected in
 * place. Returns 0 or -1.
 */
int records_write(struct task *task, uint8_t *from, const uint8_t *to);

/*
 * The stopped task has nothing left to be written. If a window has had its last instruction, it is
 * told, and what has been executed behind it counts for what follows. The functions below do this
 * themselves.
 */
int records_end(struct task *task);

/* The superblock was left by exit number `exit`; at `record` are its slots, the header may be missing. */
int records_write_exit(struct task *task, struct translation *superblock, unsigned exit,
		       uint8_t *record);

/* It was left inside, after `executed` instructions; the task's rsp is the program's. */
int records_write_partial(struct task *task, struct translation *superblock, unsigned executed,
			  uint8_t *record);

#endif
