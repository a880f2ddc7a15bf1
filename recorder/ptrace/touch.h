/* SPDX-License-Identifier: MIT */
/*
 * Memory that another thread has to provide, with userfaultfd(2) or as the server of a file system.
 * The recorder cannot wait for it, as it may have stopped that thread. So the task itself loads
 * from there, by an instruction that it has anyway, while others run; then the recorder reads it.
 */
#ifndef TOUCH_H
#define TOUCH_H

#include "recorder/core/session.h"

/*
 * Returns true if the code at an address is mapped and may come once the task has loaded from
 * there.
 */
bool touch_may_help(const struct task *task, uint64_t address);

/*
 * Resumes a synchronized task to load from the address. False if there is no instruction for it, or
 * the task has vanished.
 */
bool touch_begin(struct task *task, uint64_t address);

/* Returns true while a task loads for the recorder. */
bool touch_is_on(const struct task *task);

/* Lets the task load again for a place where a load has failed. */
void touch_forget(struct task *task);

/*
 * A task that touches has stopped; status is that of waitpid. It stands where it stood before, and
 * has its registers. Returns true if the stop was for nothing else.
 */
bool touch_stopped(struct task *task, int status);

#endif
