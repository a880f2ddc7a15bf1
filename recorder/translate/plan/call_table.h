/* SPDX-License-Identifier: MIT */
/*
 * Lists the system calls that a program may make in the cache. A call qualifies if
 *
 * - its only effects on the recorder's state are its result and writes to memory without stable
 *   code: it changes no signal masks or actions, segment bases, threads or processes. It may
 *   change mappings, which the recorder examines after the call;
 * - it does not read what the recorder hides: signal masks and actions, segment bases, its own pc;
 * - it continues, or is begun again, if the task is stopped in it; syscalls_begin_again() knows
 *   the calls that the kernel would end with EINTR.
 *
 * There is no limit to how long it may wait.
 */
#ifndef CALL_TABLE_H
#define CALL_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum call_kind {
	CALL_ENTERED,   /* entered by the recorder */
	CALL_FREE,      /* made in the cache, without a stop */
	CALL_LOOKED_AT, /* made in the cache, with a stop after it */
	/* arch_prctl: made in the cache without a stop if it sets or gets the base of fs */
	CALL_FS,
	/* openat: made in the cache without a stop if it opens only for reading
	 * (ptrace/mappings.h) */
	CALL_OPENAT,
	/* mmap: as CALL_LOOKED_AT if the kernel chooses the address; otherwise it could replace the
	 * cache */
	CALL_UNFIXED,
};

/* Sets the bytes of these calls, by number, to their kind. `size` is the number of bytes. */
void call_table_fill(uint8_t *calls, size_t size);

#endif
