/* SPDX-License-Identifier: MIT */
/*
 * Tasks that sleep where the recorder expects them to stop soon: in a page fault that another
 * thread has to serve, with userfaultfd(2) or as the server of a file system. Where tasks run one
 * at a time, that thread may be waiting for its turn.
 */
#ifndef STALLS_H
#define STALLS_H

#include "recorder/core/session.h"

/*
 * Returns true if a running task, or one that is about to enter a system call, waits for another
 * one.
 */
bool stalls_running(const struct task *task);

/* Returns true if a task in a system call that sleeps uninterruptibly may wait for another one. */
bool stalls_in_call(const struct task *task);

/* The stalled task loses its turn: once it can go on, it stops as soon as possible. */
void stalls_begin(struct task *task);

#endif
