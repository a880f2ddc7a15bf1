/* SPDX-License-Identifier: MIT */
/*
 * System calls that a program may make in the cache. A call may be one if
 * - all that it changes for the recorder is its result, and memory that is no code translated as stable: no
 *   signal masks or actions, segment bases, threads, processes; or mappings, which the recorder looks
 *   at behind the call;
 * - it does not look at what the recorder hides: signal masks and actions, segment bases, its own place;
 * - it goes on, or is begun again, if the task is stopped in it; syscalls_begin_again() knows those that
 *   the kernel would end with EINTR.
 * It may wait for as long as it likes.
 */
#ifndef CALL_TABLE_H
#define CALL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call_kind {
	CALL_ENTERED,   /* by the recorder */
	CALL_FREE,      /* made in the cache, which goes on */
	CALL_LOOKED_AT, /* made there, with a stop behind it */
	CALL_FS, /* arch_prctl: made in the cache, which goes on, if it sets or gets the base of fs */
	CALL_OPENAT, /* made in the cache, which goes on, if openat opens for reading alone: see
			ptrace/memory_file.h */
	CALL_UNFIXED, /* looked at as well: mmap, if the kernel chooses the address: elsewhere it could
			   replace the cache */
};

/* Sets the bytes of those calls, by number, to their kind. size: of numbers. */
void call_table_fill(uint8_t *calls, size_t size);

/* True for a free one that does not wait for a time: begun again, it would wait for all of that. */
bool call_table_is_harmless(uint32_t number);

#endif
