/* SPDX-License-Identifier: MIT */
/* Memory that is given out piece by piece, stays where it is, and is restored as a whole. */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

/* Zeroed it has given nothing out. */
struct pool {
	struct pool_chunk *chunks; /* the newest first */
	size_t used;               /* of the newest, bytes */
};

/* Aligned for pointers and 64-bit numbers, and not initialised; NULL: memory is out. */
void *pool_alloc(struct pool *pool, size_t size);

/* Takes back all that it has given out. */
void pool_clear(struct pool *pool);

#endif
