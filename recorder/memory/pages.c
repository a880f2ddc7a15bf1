/* SPDX-License-Identifier: MIT */
#include "recorder/memory/pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

static void *map(size_t size, int flags)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags,
			   -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

/* Aligned, so that huge pages can be all of it. */
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

void pages_free(void *pages, size_t size)
{
	if (pages)
		munmap(pages, size);
}
