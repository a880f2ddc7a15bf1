/* SPDX-License-Identifier: MIT */
/*
 * Threads that write full buffers to the trace while the program fills the next ones: those of a
 * task in the order in which they come, those of several tasks at the same time. A task waits when
 * it is too far ahead, so nothing is lost and nothing grows.
 */
#ifndef ENCODER_H
#define ENCODER_H

#include "recorder/translate/thread/thread.h"

struct encoder;

/* NULL: it cannot be started; then buffers are written by whoever has them. */
struct encoder *encoder_new(struct session *session);

/* Waits and ends; NULL is allowed. */
void encoder_free(struct encoder *encoder);

/*
 * Hands over the records in [from, to) of a task's buffer. Waits until at most `ahead` of the
 * task's are on the way. Returns 0, or -1 if writing has failed.
 */
int encoder_put(struct encoder *encoder, struct task *task, uint8_t *from, const uint8_t *to,
		unsigned ahead);

/* Waits until all of the task's has been written: from then on the caller may use its stream.
 * NULL: all of all tasks. As above; no encoder is no failure. */
int encoder_wait(struct encoder *encoder, struct task *task);

#endif
