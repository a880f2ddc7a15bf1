/* SPDX-License-Identifier: MIT */
/* Control word events: what an instruction has loaded into the x87 control word or mxcsr. */
#ifndef CONTROL_WORDS_H
#define CONTROL_WORDS_H

#include "recorder/core/session.h"

/* Writes an event for each of `which` (enum isa_control_word, or-ed); none while nothing is
 * recorded. */
int control_words_write(struct task *task, unsigned which, uint16_t x87, uint32_t mxcsr);

/* The same with the values that the stopped task has now. */
int control_words_read(struct task *task, unsigned which);

/* An event for each, where what has been executed before was not recorded. */
int control_words_tell(struct task *task);

#endif
