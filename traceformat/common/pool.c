/* SPDX-License-Identifier: MIT */
#include "traceformat/common/pool.h"

#include <stdint.h>

#include "traceformat/common/pages.h"

struct pool_chunk {
	struct pool_chunk *next;
	size_t size;
};

/* Chunks grow: small programs need little, and large ones get huge pages. */
enum { FIRST_CHUNK = 1 << 14, LARGEST_CHUNK = 2 << 20, ALIGNMENT = 8 };

static size_t next_size(const struct pool *p, size_t least)
{
	size_t size = p->chunks ? p->chunks->size * 2 : FIRST_CHUNK;

	least += sizeof(struct pool_chunk);
	while (size < least && size < LARGEST_CHUNK)
		size *= 2;
	if (size > LARGEST_CHUNK)
		size = LARGEST_CHUNK;
	return size < least ? (least + LARGEST_CHUNK - 1) & -(size_t)LARGEST_CHUNK : size;
}

void *pool_alloc(struct pool *p, size_t size)
{
	struct pool_chunk *chunk = p->chunks;
	void *bytes;

	if (size > SIZE_MAX / 4)
		return NULL;
	size = (size + ALIGNMENT - 1) & -(size_t)ALIGNMENT;
	if (!chunk || chunk->size - p->used < size) {
		size_t chunk_size = next_size(p, size);

		chunk = pages_new(chunk_size);
		if (!chunk)
			return NULL;
		*chunk = (struct pool_chunk){ p->chunks, chunk_size };
		p->chunks = chunk;
		p->total += chunk_size;
		p->used = sizeof(*chunk);
	}
	bytes = (char *)chunk + p->used;
	p->used += size;
	return bytes;
}

void pool_free(struct pool *p)
{
	while (p->chunks) {
		struct pool_chunk *chunk = p->chunks;

		p->chunks = chunk->next;
		pages_free(chunk, chunk->size);
	}
	p->used = p->total = 0;
}
