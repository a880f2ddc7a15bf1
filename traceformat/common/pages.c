/* SPDX-License-Identifier: MIT */
#include "traceformat/common/pages.h"

#include <sanitizer/asan_interface.h>
#include <string.h>
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

static bool extend(void **pages, size_t from, size_t to)
{
	void *larger = *pages ? mremap(*pages, from, to, MREMAP_MAYMOVE) : map(to, 0);

	if (!larger || larger == MAP_FAILED)
		return false;
	/* AddressSanitizer does not see mremap. */
	ASAN_UNPOISON_MEMORY_REGION(larger, to);
	*pages = larger;
	return true;
}

static void shorten(void **pages, size_t from, size_t to)
{
	if (to) {
		mremap(*pages, from, to, 0);
		return;
	}
	munmap(*pages, from);
	*pages = NULL;
}

bool page_arrays_extend(const struct page_array *arrays, unsigned n, size_t from, size_t to)
{
	unsigned done = 0;

	while (done < n &&
	       extend(arrays[done].pages, from * arrays[done].element, to * arrays[done].element))
		done++;
	if (done == n)
		return true;
	while (done-- > 0)
		shorten(arrays[done].pages, to * arrays[done].element, from * arrays[done].element);
	return false;
}

void pages_reset(void *pages, size_t size)
{
	enum { KEEP_BYTES = 1 << 20 };

	if (pages && size > KEEP_BYTES)
		madvise(pages, size, MADV_DONTNEED);
	else if (pages)
		memset(pages, 0, size);
}
