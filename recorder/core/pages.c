/* SPDX-License-Identifier: MIT */
#include "recorder/core/pages.h"

#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, PAGE = 4096, AHEAD = 1 << 17 };

static void *map(size_t size, int flags)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags,
			   -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

/* Maps memory aligned to huge pages, so that it can consist of them. */
static void *map_huge(size_t size)
{
	char *all = map(size + HUGE_PAGE, 0);
	size_t before = all ? -(uintptr_t)all % HUGE_PAGE : 0;

	if (!all)
		return NULL;
	if (before)
		munmap(all, before);
	if (before < HUGE_PAGE)
		munmap(all + before + size, HUGE_PAGE - before);
	madvise(all + before, size, MADV_HUGEPAGE);
	return all + before;
}

void *pages_new(size_t size)
{
	return size % HUGE_PAGE ? map(size, MAP_POPULATE) : map_huge(size);
}

/* A kernel without MADV_POPULATE_WRITE provides each page when it is touched. */
void pages_provide(uint8_t *mapping, size_t size, size_t used, size_t *ready)
{
	size_t wanted = (used + AHEAD) & -(size_t)PAGE;

	if (used + AHEAD / 2 <= *ready || *ready >= size)
		return;
	if (wanted > size)
		wanted = size;
	madvise(mapping + *ready, wanted - *ready, MADV_POPULATE_WRITE);
	*ready = wanted;
}

void pages_free(void *pages, size_t size)
{
	if (pages)
		munmap(pages, size);
}
