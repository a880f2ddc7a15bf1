/* SPDX-License-Identifier: MIT */
/* Signals that are sent to the recorder. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A program that is started: SIGINT and SIGQUIT, which a terminal sends to both, are its business
 * alone, and SIGTERM and SIGHUP are passed on to it. Attached to one that runs already, all of
 * them but SIGQUIT ask for the end of the recording.
 */
void interrupts_begin(bool attached);
void interrupts_pass_to(pid_t program);

/* True once the end of the recording has been asked for. */
bool interrupts_asked(void);

/* Puts the actions back. */
void interrupts_end(void);

#endif
