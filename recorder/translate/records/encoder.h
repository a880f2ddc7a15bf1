/* SPDX-License-Identifier: MIT */
/*
 * Writes full buffers to the trace in threads of its own, while the program fills the next ones.
 * The buffers of one task are written in order, those of several tasks at the same time. A task
 * that is too far ahead waits, so nothing is lost and memory does not grow.
 */
#ifndef ENCODER_H
#define ENCODER_H

#include "recorder/translate/thread/thread.h"

struct encoder;

/* Returns NULL if no thread can be started. Tasks then write their own buffers. */
struct encoder *encoder_new(struct session *session);

/* Waits for the threads and ends them. NULL is allowed. */
void encoder_free(struct encoder *encoder);

/*
 * Hands over the records in [from, to) of a task's buffer. Waits until at most `ahead` buffers of
 * the task are on the way. Returns 0, or -1 if writing has failed.
 */
int encoder_put(struct encoder *encoder, struct task *task, uint8_t *from, const uint8_t *to,
		unsigned ahead);

/* Waits until all buffers of the task, or of all tasks if NULL, are written. The caller may then
 * use the stream. Returns 0, also without an encoder, or -1 if writing has failed. */
int encoder_wait(struct encoder *encoder, struct task *task);

#endif
