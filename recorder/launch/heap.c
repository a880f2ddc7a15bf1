/* SPDX-License-Identifier: MIT */
#include "recorder/launch/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	HEAP_BYTES = 96 << 20,   /* reserved; memory is taken where the heap is used */
	MAPPED_BYTES = 32 << 20, /* larger pieces are mapped each by itself */
	STEP_BYTES = 1 << 20,
};

/* Extends the heap. Returns where the unused part begins. */
static uintptr_t reserve(void)
{
	void *volatile piece; /* otherwise the compiler leaves the allocation out */
	uintptr_t start;

	mallopt(M_TOP_PAD, HEAP_BYTES);
	piece = malloc(STEP_BYTES);
	start = (uintptr_t)piece;
	free(piece);
	mallopt(M_TOP_PAD, STEP_BYTES);
	return start & -(uintptr_t)PAGE;
}

void heap_use_huge_pages(void)
{
	uintptr_t start, end;

	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
	start = reserve();
	end = (uintptr_t)sbrk(0) & -(uintptr_t)PAGE;
	if (start && end > start)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
}
