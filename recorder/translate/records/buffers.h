/* SPDX-License-Identifier: MIT */
/*
 * Manages the buffers that translated code writes its records into. A store past a buffer's end
 * hits its guard page. The complete records then go to the encoder, or straight to the stream if
 * they are likely to contain the end of the window. The record that is being written continues in
 * the next buffer.
 */
#ifndef BUFFERS_H
#define BUFFERS_H

#include "recorder/translate/thread/thread.h"

/* Begins with the first buffer of the task's area. */
void buffers_begin(struct task *task);

/* Return the first record in the buffer, and the record that the task is about to write, or is
 * writing. */
const uint8_t *buffers_first(const struct thread *thread);
uint8_t *buffers_record(const struct thread *thread);

/* Makes the buffer empty, after all its records have been read. */
void buffers_empty(struct task *task);

/* Returns true if so few instructions or bytes may still be recorded that the instructions have to
 * be stepped. */
bool buffers_are_useless(const struct session *session);

/* Returns true if limits require that all records are written before the task continues. */
bool buffers_are_limited(const struct session *session);

/*
 * Returns true if the buffer's records, and the blocks of the superblocks that the task has gone on
 * to since the buffer began, may take more than --max-size leaves. `next` is one of them. The task
 * then has to leave the cache, and gets a smaller buffer.
 */
bool buffers_lack_room(struct task *task, const struct translation *next);

/* Returns true if the full buffer and those on the way most likely contain the window's last
 * instruction. */
bool buffers_reach_the_end(const struct task *task);

/* Writes all complete records. Afterwards the caller may use the task's stream. Returns 0 or -1. */
int buffers_drain(struct task *task);

/*
 * Hands the complete records over and continues in the next buffer. The last `undo` bytes of
 * records also move to the next buffer, because they may yet have to be removed. Returns 0 or -1.
 */
int buffers_hand_over(struct task *task, unsigned undo);

/* Returns true if the fault is the recorder's store past the buffer's end. See also
 * buffers_are_nearly_full(), which is true if the next store may be one. */
bool buffers_fault(const struct thread *thread, const siginfo_t *info);

/* Returns true if protection keys have denied access to the thread's context, tables or buffers. */
bool buffers_are_denied(const struct thread *thread, const siginfo_t *info);
bool buffers_are_nearly_full(const struct thread *thread);

#endif
