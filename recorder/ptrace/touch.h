/* SPDX-License-Identifier: MIT */
/*
 * Reads memory that another thread has to provide, with userfaultfd(2) or as the server of a file
 * system. The recorder cannot wait for that memory, as it may have stopped the thread. So the task
 * itself loads from there while other tasks run, by an instruction that its program has anyway.
 * Then the recorder reads the memory.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include "recorder/core/session.h"

/*
 * Returns true if the code at an address is mapped and may become readable once the task has loaded
 * from there.
 */
bool touch_may_help(const struct task *task, uint64_t address);

/*
 * Resumes a synchronized task to load from the address. Returns false if the program has no
 * instruction for that, or the task has vanished.
 */
bool touch_begin(struct task *task, uint64_t address);

/* Returns true while a task loads for the recorder. */
bool touch_is_on(const struct task *task);

/* Lets the task load again for a place where a load has failed. */
void touch_forget(struct task *task);

/*
 * Serves the stop of a task that loads; status is that of waitpid. Restores the registers. Returns
 * true if the stop had no other cause than the load.
 */
bool touch_stopped(struct task *task, int status);

#endif
