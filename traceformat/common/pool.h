/* SPDX-License-Identifier: MIT */
/* Memory that is allocated piece by piece, does not move, and is freed as a whole (an arena). */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

/* A zeroed pool is empty. */
struct pool {
	struct pool_chunk *chunks; /* the newest first */
	size_t used;               /* bytes of the newest chunk */
	size_t total;              /* bytes of all chunks */
};

/*
 * Returns zeroed memory that is aligned for pointers and 64-bit numbers, or NULL if memory is out.
 */
void *pool_alloc(struct pool *pool, size_t size);

/* Frees all memory of the pool, which is then empty. */
void pool_free(struct pool *pool);

#endif
