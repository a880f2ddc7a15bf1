/* SPDX-License-Identifier: MIT */
/* Copies memory for another thread. */
#ifndef STREAM_COPY_H
#define STREAM_COPY_H

#include <stddef.h>

/*
 * Copies `size` bytes as memcpy() does, past the caches. Another thread has read the bytes at `to`
 * and will read the new ones: a usual store would wait for the line from the cache of the other
 * processor. The bytes are there for a thread that takes a lock which the caller releases next.
 */
void stream_copy(void *to, const void *from, size_t size);

#endif
