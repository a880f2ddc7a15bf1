/* SPDX-License-Identifier: MIT */
/*
 * The buffers that translated code writes its records into. A store behind one hits its guard page;
 * then its records go to the encoder, or, where they are likely to have the end of what is recorded,
 * to the stream at once, and the record that is being written goes on in the next one.
 */
#ifndef BUFFERS_H
#define BUFFERS_H

#include "recorder/translate/thread/thread.h"

/* Begins with the task's area. */
void buffers_begin(struct task *task);

/* The first record in its buffer, and the one that the task is about to write, or is writing. */
const uint8_t *buffers_first(const struct thread *thread);
uint8_t *buffers_record(const struct thread *thread);

/* All records have been read: the next one goes to the buffer's start. */
void buffers_empty(struct task *task);

/* True if so few instructions or bytes may still be recorded that they must be stepped. */
bool buffers_are_useless(const struct session *session);

/* True if all records are to be written before the task goes on: limits must be kept. */
bool buffers_are_limited(const struct session *session);

/* True if the full buffer, and those on the way, most likely have the window's last instruction. */
bool buffers_reach_the_end(const struct task *task);

/* Writes all complete records; then nobody else has the task's stream. Returns 0 or -1. */
int buffers_drain(struct task *task);

/* Hands the complete records over and goes on in the next buffer. The last `undo` bytes of them
 * go along: they may yet be taken back. Returns 0 or -1. */
int buffers_hand_over(struct task *task, unsigned undo);

/* True if the fault is a store of ours behind the buffer; or if the next one may be such. */
bool buffers_fault(const struct thread *thread, const siginfo_t *info);

/* True if protection keys have denied an access to the thread's context, tables or buffers. */
bool buffers_are_denied(const struct thread *thread, const siginfo_t *info);
bool buffers_are_nearly_full(const struct thread *thread);

#endif
