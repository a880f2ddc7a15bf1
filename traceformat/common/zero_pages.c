/* SPDX-License-Identifier: MIT */
#include "traceformat/common/zero_pages.h"

#include <sanitizer/asan_interface.h>
#include <string.h>
#include <sys/mman.h>

bool zero_pages_extend(void **pages, size_t from, size_t to)
{
	void *larger = *pages ? mremap(*pages, from, to, MREMAP_MAYMOVE)
			      : mmap(NULL, to, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (larger == MAP_FAILED)
		return false;
	/* AddressSanitizer does not see mremap. */
	ASAN_UNPOISON_MEMORY_REGION(larger, to);
	*pages = larger;
	return true;
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
