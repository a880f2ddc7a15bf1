/* SPDX-License-Identifier: MIT */
#include "traceformat/common/bytes.h"

bool buffer_grow(struct buffer *b, size_t more)
{
	size_t capacity;
	uint8_t *data;

	if (b->failed || more > SIZE_MAX / 4 - b->size)
		goto fail;
	capacity = (b->size + more) * 2;
	data = realloc(b->data, capacity < 256 ? 256 : capacity);
	if (!data)
		goto fail;
	b->data = data;
	b->capacity = capacity < 256 ? 256 : capacity;
	return true;
fail:
	free(b->data);
	*b = (struct buffer){ .failed = true };
	return false;
}
