/* SPDX-License-Identifier: MIT */
/*
 * Processes that forbid others to read them, prctl(PR_SET_DUMPABLE). The kernel would forbid the recorder,
 * too, unless it may trace all programs: new code could not be read. So the kernel is not asked while
 * the process is recorded; the process is told what it has set, and gets it when it is let go.
 */
#ifndef DUMPABLE_H
#define DUMPABLE_H

#include "recorder/session.h"

/* Answers a system call that sets or reads whether the process is dumpable; others go ahead. */
void dumpable_entering(struct task *task);

/* Makes the process what it has asked for. The task is stopped and about to be let go. */
void dumpable_leave(struct task *task);

#endif
