/* SPDX-License-Identifier: MIT */
#include "traceformat/common/zero_pages.h"

#include <sanitizer/asan_interface.h>
#include <string.h>
#include <sys/mman.h>

static bool extend(void **pages, size_t from, size_t to)
{
	void *larger = *pages ? mremap(*pages, from, to, MREMAP_MAYMOVE)
			      : mmap(NULL, to, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				     -1, 0);

	if (larger == MAP_FAILED)
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

bool zero_arrays_extend(const struct zero_array *arrays, unsigned n, size_t from, size_t to)
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

void zero_pages_reset(void *pages, size_t size)
{
	enum { KEEP_BYTES = 1 << 20 };

	if (pages && size > KEEP_BYTES)
		madvise(pages, size, MADV_DONTNEED);
	else if (pages)
		memset(pages, 0, size);
}

void zero_pages_free(void *pages, size_t size)
{
	if (pages)
		munmap(pages, size);
}
