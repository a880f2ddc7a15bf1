/* SPDX-License-Identifier: MIT */
/* Memory that is given out piece by piece, stays where it is, and is freed as a whole. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena {
	struct arena_page *pages; /* the newest first */
	size_t used;              /* of the newest, bytes */
	size_t total;             /* of all, bytes */
};

/* Returns size zeroed bytes, aligned for any type, or NULL if memory is out. */
void *arena_alloc(struct arena *arena, size_t size);

void arena_free(struct arena *arena);

#endif
