/* SPDX-License-Identifier: MIT */
/* Independent tasks on several cores. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stddef.h>

/*
 * Calls task(opaque, i) for each i < n, in any order, on up to `jobs` threads (the caller's is one
 * of them). Returns when all are done. It uses fewer threads if some cannot be started.
 */
void parallel_for(unsigned jobs, size_t n, void (*task)(void *opaque, size_t i), void *opaque);

/* Returns the number of cores that this process may use. */
unsigned parallel_cores(void);

#endif
