/* SPDX-License-Identifier: MIT */
#include "traceformat/file/columns.h"

#include <xxhash.h>

static bool is_written(const struct out_column *c)
{
	return c->raw->size || c->id == COLUMN_HEAD;
}

/* Appends a column, and fills its descriptor, which stands at `descriptor` of the payload. */
static bool put_column(void *compressor, const struct out_column *c, size_t descriptor,
		       struct buffer *payload)
{
	size_t before = payload->size;
	enum codec codec = CODEC_STORED;
	uint8_t *d;

	if (c->level)
		codec = payload_encode(compressor, c->level, c->raw->data, c->raw->size, payload);
	else
		put_bytes(payload, c->raw->data, c->raw->size);
	if (payload->failed || c->raw->failed)
		return false;
	d = payload->data + descriptor;
	put_le16(d, c->id);
	d[2] = c->coding;
	d[3] = (uint8_t)codec;
	put_le64(d + 8, payload->size - before);
	put_le64(d + 16, c->raw->size);
	put_le64(d + 24, XXH3_64bits(payload->data + before, payload->size - before));
	return true;
}

bool columns_build(void *compressor, const struct out_column *columns, unsigned n,
		   struct buffer *payload)
{
	size_t descriptor = 8, count = 0;

	for (unsigned i = 0; i < n; i++)
		count += is_written(&columns[i]);
	payload->size = 0;
	if (!buffer_reserve(payload, 8 + count * COLUMN_DESCRIPTOR_SIZE))
		return false;
	payload->size = 8 + count * COLUMN_DESCRIPTOR_SIZE;
	memset(payload->data, 0, payload->size);
	put_le16(payload->data, (uint16_t)count);
	for (unsigned i = 0; i < n; i++) {
		if (!is_written(&columns[i]))
			continue;
		if (!put_column(compressor, &columns[i], descriptor, payload))
			return false;
		descriptor += COLUMN_DESCRIPTOR_SIZE;
	}
	return true;
}
