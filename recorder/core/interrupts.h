/* SPDX-License-Identifier: MIT */
/* Handles signals that are sent to the recorder. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Installs the handlers. If the recorder starts the program, the recorder ignores SIGINT and
 * SIGQUIT, which a terminal sends to both, and passes SIGTERM and SIGHUP on to the program. If it
 * is attached to a process, each of them except SIGQUIT requests the end of the recording.
 */
void interrupts_begin(bool attached);
void interrupts_pass_to(pid_t program);

/* Returns true once a signal has requested the end of the recording. */
bool interrupts_asked(void);

/* Restores the actions from before interrupts_begin(). */
void interrupts_end(void);

#endif
