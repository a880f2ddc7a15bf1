/* SPDX-License-Identifier: MIT */
/* The timer that interrupts the recorder's waiting, by SIGALRM. One recording at a time uses it. */
#ifndef TICKS_H
#define TICKS_H

#include "recorder/core/session.h"

/* Starts the timer. ticks_end() restores the action of SIGALRM. */
void ticks_begin(struct session *session);
void ticks_end(void);

/* Lets the timer tick four times a millisecond, or as often as the session's options need ticks. */
void ticks_soon(struct session *session);
void ticks_normally(struct session *session);

/* True if the timer has ticked since ticks_take(). */
bool ticks_came(void);

/* Returns ticks_came() and forgets the tick. */
bool ticks_take(void);

#endif
