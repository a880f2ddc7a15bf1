/* SPDX-License-Identifier: MIT */
/*
 * A thread that writes full buffers to the trace while the program fills the next ones. The
 * program waits when it is too far ahead, so nothing is lost and nothing grows.
 */
#ifndef ENCODER_H
#define ENCODER_H

#include "recorder/translate/thread.h"

enum { ENCODER_BUFFERS = 8 };

struct encoder;

/* NULL: it cannot be started; then buffers are written by whoever has them. */
struct encoder *encoder_new(struct session *session);

/* Waits and ends; NULL is allowed. */
void encoder_free(struct encoder *encoder);

/*
 * Hands over the records in [from, to) of a task's buffer. Waits until fewer than ENCODER_BUFFERS - 1
 * are on the way, so that of a ring of ENCODER_BUFFERS the next one is free. Returns 0, or -1 if
 * writing has failed.
 */
int encoder_put(struct encoder *encoder, struct task *task, uint8_t *from, const uint8_t *to);

/* Waits until all has been written: from then on the caller may use task and stream. As above. */
int encoder_wait(struct encoder *encoder);

#endif
