/* SPDX-License-Identifier: MIT */
/* Starting the program, and refusing what cannot be recorded. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "recorder/session.h"

/* Finds the program. If it cannot be run or recorded, sets the error and *exit_status. */
int launch_check(struct session *session, int *exit_status);

/*
 * Starts the program under ptrace; it stops at its first instruction, by PTRACE_EVENT_EXEC.
 * From here on SIGINT and SIGQUIT, which a terminal sends to both, are the program's business
 * alone, and SIGTERM and SIGHUP for the recorder are passed on to it.
 */
int launch(struct session *session);

/* Puts the recorder's signal actions back. */
void launch_signals_end(void);

/* The child has ended without executing the program: sets the error and *exit_status. */
int launch_failed(struct session *session, int *exit_status);

/* Returns why the program a task has just executed cannot be recorded, or NULL. */
const char *launch_refuses(const struct task *task);

/* Makes what the kernel chose at random for the program the same in every run. */
void launch_fix_random(const struct task *task);

#endif
