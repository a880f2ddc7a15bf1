/* SPDX-License-Identifier: MIT */
#include "cli/common/stream_copy.h"

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

enum { LINE = 64 };

static void copy_line(char *to, const char *from)
{
	for (unsigned i = 0; i < LINE; i += sizeof(__m128i))
		_mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
}

void stream_copy(void *to, const void *from, size_t size)
{
	size_t at = -(uintptr_t)to % LINE;

	if (at > size)
		at = size;
	if (at)
		memcpy(to, from, at);
	for (; size - at >= LINE; at += LINE)
		copy_line((char *)to + at, (const char *)from + at);
	if (at < size)
		memcpy((char *)to + at, (const char *)from + at, size - at);
	_mm_sfence();
}
