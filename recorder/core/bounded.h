/* SPDX-License-Identifier: MIT */
/*
 * Runs work that may never end because it waits for the server of a file system. That server may
 * be a program that the recorder has stopped.
 */
#ifndef BOUNDED_H
#define BOUNDED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs `work` in a new thread on a copy of *state, of `size` bytes. Returns true if the work ended
 * in time; *state is then the result. Otherwise the thread goes on with its copy, and the result
 * is dropped.
 */
bool bounded_run(void (*work)(void *state), void *state, size_t size);

#endif
