/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/mutate_partial.h"

#include <xxhash.h>
#include <zstd.h>

#include "tests/fuzz/mutate_records.h"
#include "tests/fuzz/mutate_trace.h"

enum { HEADER = 64, HASHED = 56, MOST_PAYLOAD = 1 << 20 };

/* Replaces the payload of a file by other bytes. */
static void put_payload(struct buffer *file, const struct buffer *payload)
{
	size_t stored = 0;

	file->size = HEADER;
	if (buffer_reserve(file, ZSTD_compressBound(payload->size)))
		stored = ZSTD_compress(file->data + HEADER, file->capacity - HEADER, payload->data,
				       payload->size, 1);
	if (ZSTD_isError(stored))
		return;
	file->size += stored;
	put_le64(file->data + 32, payload->size);
	put_le64(file->data + 40, stored);
	put_le64(file->data + 48, XXH3_64bits(file->data + HEADER, stored));
	put_le64(file->data + HASHED, XXH3_64bits(file->data, HASHED));
}

void mutate_partial(struct buffer *file, uint64_t *state)
{
	struct buffer payload = { 0 };
	size_t size;

	if (file->size < HEADER || random_under(state, 8) == 0) {
		mutate_records(file, state);
		return;
	}
	if (!buffer_reserve(&payload, MOST_PAYLOAD))
		return;
	size = ZSTD_decompress(payload.data, MOST_PAYLOAD, file->data + HEADER,
			       file->size - HEADER);
	if (!ZSTD_isError(size)) {
		payload.size = size;
		mutate_records(&payload, state);
		put_payload(file, &payload);
	}
	buffer_free(&payload);
}
