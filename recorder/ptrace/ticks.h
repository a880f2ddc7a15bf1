/* SPDX-License-Identifier: MIT */
/* The timer that interrupts the recorder's waiting, by SIGALRM. One recording at a time uses it. */
#ifndef TICKS_H
#define TICKS_H

#include "recorder/core/options.h"

/* Starts the timer. ticks_end() restores the action of SIGALRM. */
void ticks_begin(const struct record_options *options);
void ticks_end(void);

/* Lets the timer tick four times a millisecond, or as often as the options need ticks. */
void ticks_soon(void);
void ticks_normally(const struct record_options *options);

/* True if the timer has ticked since ticks_take(). */
bool ticks_came(void);

/* Returns ticks_came() and forgets the tick. */
bool ticks_take(void);

#endif
