/* SPDX-License-Identifier: MIT */
/*
 * System calls that a program may make in the cache. A call may be one if
 * - all that it changes for the recorder is memory that is no code that was translated as stable, and its
 *   result: no mappings, signal masks or actions, segment bases, threads, processes;
 * - it does not look at what the recorder hides: signal masks and actions, mappings, its own place;
 * - it goes on, or is begun again by the kernel, if the task is stopped in it, without EINTR; see
 *   syscalls_undo_stop() for those that do not.
 * It may wait for as long as it likes.
 */
#ifndef CALL_TABLE_H
#define CALL_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Sets the bytes of those calls, by number, to 1. size: of numbers. */
void call_table_fill(uint8_t *calls, size_t size);

#endif
