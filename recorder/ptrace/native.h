/* SPDX-License-Identifier: MIT */
/* Runs tasks natively: until --from, and between windows. */
#ifndef NATIVE_H
#define NATIVE_H

#include "recorder/core/session.h"

/* Resumes a task in PHASE_NATIVE: freely between windows and once breakpoints are set, else from
 * system call to system call, to see what it maps. Returns 0 or -1. */
int native_resume(struct task *task);

/* Serves a stop in PHASE_NATIVE. Returns 0 or -1. */
int native_stopped(struct task *task, int status);

/* Takes over a task that has run natively, before the backend resumes it. Returns 0 or -1. */
int native_take_over(struct task *task);

#endif
