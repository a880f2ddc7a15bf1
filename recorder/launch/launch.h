/* SPDX-License-Identifier: MIT */
/* Starts the program. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "recorder/core/session.h"

/* Finds the program. If it cannot be run or recorded, sets the error and *exit_status. */
int launch_check(struct session *session, int *exit_status);

/*
 * Starts the program under ptrace; it stops at its first instruction, by PTRACE_EVENT_EXEC.
 * From then on the recorder handles signals as described in interrupts.h.
 */
int launch(struct session *session);

/* The child has ended without executing the program: sets the error and *exit_status. */
int launch_failed(struct session *session, int *exit_status);

#endif
