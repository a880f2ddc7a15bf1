/* SPDX-License-Identifier: MIT */
/* Handles signals that are sent to the recorder, and the timer that interrupts its waiting. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "recorder/core/options.h"

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

/*
 * Lets a write to a closed pipe or beyond the limit of a file's size fail with an error, instead
 * of a signal that ends the recorder. write_signals_restore() restores the actions from before.
 */
void write_signals_ignore(void);
void write_signals_restore(void);

/*
 * ---- ticks ----
 *
 * The timer interrupts the recorder's waiting by SIGALRM. One recording at a time uses it.
 */

/* Starts the timer. ticks_end() restores the action of SIGALRM. */
void ticks_begin(const struct record_options *options);
void ticks_end(void);

/* Lets the timer tick four times a millisecond, or as often as the options need ticks. */
void ticks_soon(void);
void ticks_normally(const struct record_options *options);

/* Returns true if the timer has ticked since ticks_take(). */
bool ticks_came(void);

/* Returns ticks_came() and forgets the tick. */
bool ticks_take(void);

#endif
