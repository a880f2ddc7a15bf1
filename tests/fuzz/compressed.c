/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/compressed.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

/* Each compressor returns the compressed size, 0 on failure. room: the number of bytes at `to`. */

static size_t gzip(const struct buffer *from, uint8_t *to, size_t room)
{
	z_stream z = { .next_in = from->data,
		       .avail_in = (uInt)from->size,
		       .next_out = to,
		       .avail_out = (uInt)room };
	size_t size;

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	size = deflate(&z, Z_FINISH) == Z_STREAM_END ? z.total_out : 0;
	deflateEnd(&z);
	return size;
}

static size_t xz(const struct buffer *from, uint8_t *to, size_t room)
{
	size_t size = 0;

	return lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, from->data, from->size, to, &size,
				       room) == LZMA_OK
		       ? size
		       : 0;
}

static size_t bzip2(const struct buffer *from, uint8_t *to, size_t room)
{
	unsigned size = (unsigned)room;

	return BZ2_bzBuffToBuffCompress((char *)to, &size, (char *)from->data, (unsigned)from->size,
					1, 0, 0) == BZ_OK
		       ? size
		       : 0;
}

static size_t zstd(const struct buffer *from, uint8_t *to, size_t room)
{
	size_t size = ZSTD_compress(to, room, from->data, from->size, 1);

	return ZSTD_isError(size) ? 0 : size;
}

void compress_bytes(struct buffer *bytes, enum compression by)
{
	static size_t (*const how[])(const struct buffer *, uint8_t *, size_t) = {
		[BY_GZIP] = gzip, [BY_XZ] = xz, [BY_BZIP2] = bzip2, [BY_ZSTD] = zstd
	};
	size_t room = bytes->size + bytes->size / 50 + 4096;
	struct buffer made = { 0 };

	if (!bytes->size || !buffer_reserve(&made, room))
		return;
	made.size = how[by](bytes, made.data, room);
	if (!made.size) {
		buffer_free(&made);
		return;
	}
	buffer_free(bytes);
	*bytes = made;
}
