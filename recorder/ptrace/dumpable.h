/* SPDX-License-Identifier: MIT */
/*
 * Processes that forbid others to read them: by prctl(PR_SET_DUMPABLE), or by a change of
 * credentials, after which the kernel forbids it. The kernel would forbid the recorder as well,
 * unless it may trace all programs: new code could not be read. So the process stays readable
 * while it is recorded, or is made readable again. The recorder answers with the setting that the
 * process would have, and makes the setting in the kernel when the process is released.
 */
#ifndef DUMPABLE_H
#define DUMPABLE_H

#include "recorder/core/session.h"

/* Answers a system call that makes the process undumpable; others go ahead. */
void dumpable_entering(struct task *task);

/*
 * Handles the setting that a system call has set or read. A process that is confined by seccomp
 * makes the calls, since its filter must see them, and is made readable again; so is a process
 * with other credentials. The result in the registers is what the process would see without a
 * recorder.
 */
void dumpable_leaving(struct task *task);

/*
 * Makes a process readable again that another one has made undumpable, such as a child that shares
 * its memory and is not followed. The task is stopped outside of system calls. Returns false if
 * the process was readable or is still unreadable.
 */
bool dumpable_mend(struct task *task);

/*
 * Makes the process as undumpable as it has asked for. The task is stopped and about to be
 * released.
 */
void dumpable_leave(struct task *task);

#endif
