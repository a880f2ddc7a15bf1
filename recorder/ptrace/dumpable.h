/* SPDX-License-Identifier: MIT */
/*
 * Processes that forbid others to read them, prctl(PR_SET_DUMPABLE). The kernel would forbid the recorder,
 * too, unless it may trace all programs: new code could not be read. So the process stays readable while it
 * is recorded. The recorder answers with the setting that the process has made, and makes it in the
 * kernel when the process is let go.
 */
#ifndef DUMPABLE_H
#define DUMPABLE_H

#include "recorder/core/session.h"

/* Answers a system call that makes the process undumpable; others go ahead. */
void dumpable_entering(struct task *task);

/*
 * Looks at what a system call has set or read. A process that is confined by seccomp makes the calls, since
 * its filter must be asked, and is made readable again. The result in the registers is what the process
 * would see without a recorder.
 */
void dumpable_leaving(struct task *task);

/* Makes the process what it has asked for. The task is stopped and about to be let go. */
void dumpable_leave(struct task *task);

#endif
