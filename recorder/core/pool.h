/* SPDX-License-Identifier: MIT */
/* Memory that is allocated piece by piece, does not move, and is freed as a whole. */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

/* A zeroed pool is empty. */
struct pool {
	struct pool_chunk *chunks; /* the newest first */
	size_t used;               /* bytes of the newest chunk */
};

/*
 * Returns memory aligned for pointers and 64-bit numbers, not initialised; NULL if memory is out.
 */
void *pool_alloc(struct pool *pool, size_t size);

/* Frees all memory of the pool. */
void pool_clear(struct pool *pool);

#endif
