/* SPDX-License-Identifier: MIT */
#include "traceformat/common/arena.h"

#include <stdint.h>
#include <stdlib.h>

struct arena_page {
	struct arena_page *next;
	size_t size;
	_Alignas(max_align_t) char bytes[];
};

enum { PAGE_SIZE = 1 << 14, ALIGNMENT = _Alignof(max_align_t) };

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_page *page = a->pages;
	void *bytes;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (!page || page->size - a->used < size) {
		size_t room = size > PAGE_SIZE / 4 ? size : PAGE_SIZE;

		page = calloc(1, sizeof(*page) + room);
		if (!page)
			return NULL;
		page->size = room;
		page->next = a->pages;
		a->pages = page;
		a->used = 0;
		a->total += sizeof(*page) + room;
	}
	bytes = page->bytes + a->used;
	a->used += size;
	return bytes;
}

void arena_free(struct arena *a)
{
	while (a->pages) {
		struct arena_page *next = a->pages->next;

		free(a->pages);
		a->pages = next;
	}
	a->used = a->total = 0;
}
