/* SPDX-License-Identifier: MIT */
/* Work that may never end, as it waits for the server of a file system, which may be a program that the
 * recorder has stopped. */
#ifndef BOUNDED_H
#define BOUNDED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Lets a thread of its own work on a copy of *state, of `size` bytes. Returns true if that ended in time:
 * *state is what it has become. Otherwise the thread goes on with its copy, and nobody looks at it again.
 */
bool bounded_run(void (*work)(void *state), void *state, size_t size);

#endif
