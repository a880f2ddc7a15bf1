/* SPDX-License-Identifier: MIT */
/*
 * Processes that forbid others to read them: by prctl(PR_SET_DUMPABLE), or by a change of credentials, with
 * which the kernel does so by itself. The kernel would forbid the recorder, too, unless it may trace all
 * programs: new code could not be read. So the process stays readable while it is recorded, or is made
 * so again. The recorder answers with the setting that the process would have, and makes it in the
 * kernel when the process is let go.
 */
#ifndef DUMPABLE_H
#define DUMPABLE_H

#include "recorder/core/session.h"

/* Answers a system call that makes the process undumpable; others go ahead. */
void dumpable_entering(struct task *task);

/*
 * Looks at what a system call has set or read. A process that is confined by seccomp makes the calls, since
 * its filter must be asked, and is made readable again; so is one with other credentials. The result in
 * the registers is what the process would see without a recorder.
 */
void dumpable_leaving(struct task *task);

/* Makes a process readable again that somebody else has made undumpable, as a child that shares its memory and
 * is not followed. The task is stopped outside of system calls. False: it was readable, or still is not. */
bool dumpable_mend(struct task *task);

/* Makes the process what it has asked for. The task is stopped and about to be let go. */
void dumpable_leave(struct task *task);

#endif
