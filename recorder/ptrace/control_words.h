/* SPDX-License-Identifier: MIT */
/*
 * Control word events: the values that an instruction has loaded into the x87 control word or
 * mxcsr.
 */
#ifndef CONTROL_WORDS_H
#define CONTROL_WORDS_H

#include "recorder/core/session.h"

/*
 * Writes an event for each word in `which` (enum isa_control_word, or-ed); none while nothing is
 * recorded.
 */
int control_words_write(struct task *task, unsigned which, uint16_t x87, uint32_t mxcsr);

/* Writes these events with the present values of the stopped task. */
int control_words_read(struct task *task, unsigned which);

/* Writes an event for each word if instructions before were not recorded. */
int control_words_tell(struct task *task);

#endif
