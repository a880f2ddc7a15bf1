/* SPDX-License-Identifier: MIT */
/*
 * A component's checksum and sizes are known when it ends, so its local header is written again
 * then. Both headers have 64-bit sizes in a zip64 field, whether they are needed or not: so a local
 * header has the same length before and after.
 */
#define ZLIB_CONST
#include "cli/common/zip_writer.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "cli/common/checked.h"

enum {
	OUTPUT_SIZE = 1 << 16,
	HEADER_ROOM = 128, /* of the longest header without its name */
	VERSION = 45,      /* zip64 */
	DEFLATE = 8,
	DATE = 1 << 5 | 1, /* 1980-01-01 */
	ZIP64 = 1,         /* id of an extra field */
};

struct component {
	char *name;
	uint64_t offset; /* of its local header */
	uint64_t size, packed;
	uint32_t crc;
};

struct zip_writer {
	FILE *stream;
	ARRAY(struct component) components;
	bool open; /* the last component */
	z_stream deflate;
	unsigned char output[OUTPUT_SIZE];
};

/* A header in the making: little-endian numbers, one after the other. */
struct header {
	size_t size;
	unsigned char bytes[HEADER_ROOM];
};

static void add(struct header *h, unsigned size, uint64_t value)
{
	memcpy(h->bytes + h->size, &value, size);
	h->size += size;
}

static void put_header(struct zip_writer *z, const struct header *h, const char *name)
{
	fwrite(h->bytes, 1, h->size, z->stream);
	fwrite(name, 1, strlen(name), z->stream);
}

/* Adds what the local and the central header of a component have in common. */
static void add_common(struct header *h, const struct component *c, unsigned extra_size)
{
	add(h, 2, VERSION);
	add(h, 2, 0); /* flags */
	add(h, 2, DEFLATE);
	add(h, 2, 0); /* time */
	add(h, 2, DATE);
	add(h, 4, c->crc);
	add(h, 4, UINT32_MAX); /* sizes: in the extra field */
	add(h, 4, UINT32_MAX);
	add(h, 2, strlen(c->name));
	add(h, 2, extra_size);
}

static void put_local(struct zip_writer *z, const struct component *c)
{
	enum { EXTRA = 4 + 2 * 8 };
	struct header h = { 0 }, extra = { 0 };

	add(&h, 4, 0x04034b50);
	add_common(&h, c, EXTRA);
	put_header(z, &h, c->name);
	add(&extra, 2, ZIP64);
	add(&extra, 2, EXTRA - 4);
	add(&extra, 8, c->size);
	add(&extra, 8, c->packed);
	put_header(z, &extra, "");
}

static void put_central(struct zip_writer *z, const struct component *c)
{
	enum { EXTRA = 4 + 3 * 8 };
	struct header h = { 0 }, extra = { 0 };

	add(&h, 4, 0x02014b50);
	add(&h, 2, VERSION); /* made by */
	add_common(&h, c, EXTRA);
	add(&h, 2, 0); /* comment */
	add(&h, 2, 0); /* disk */
	add(&h, 2, 0); /* attributes */
	add(&h, 4, 0);
	add(&h, 4, UINT32_MAX); /* offset: in the extra field */
	put_header(z, &h, c->name);
	add(&extra, 2, ZIP64);
	add(&extra, 2, EXTRA - 4);
	add(&extra, 8, c->size);
	add(&extra, 8, c->packed);
	add(&extra, 8, c->offset);
	put_header(z, &extra, "");
}

struct zip_writer *zip_begin(FILE *stream)
{
	enum { MEMORY_LEVEL = 8 };
	struct zip_writer *z = checked_array(1, sizeof(*z));

	z->stream = stream;
	if (deflateInit2(&z->deflate, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory();
	return z;
}

static struct component *last(struct zip_writer *z)
{
	return &z->components.at[z->components.count - 1];
}

static bool code(struct zip_writer *z, const void *bytes, size_t size, int flush)
{
	z_stream *d = &z->deflate;
	int status;

	d->next_in = bytes;
	d->avail_in = (uInt)size;
	do {
		d->next_out = z->output;
		d->avail_out = OUTPUT_SIZE;
		status = deflate(d, flush);
		last(z)->packed += OUTPUT_SIZE - d->avail_out;
		fwrite(z->output, 1, OUTPUT_SIZE - d->avail_out, z->stream);
	} while (status == Z_OK && !d->avail_out);
	return status == Z_STREAM_END || status == Z_OK || status == Z_BUF_ERROR;
}

static void end_component(struct zip_writer *z)
{
	if (!z->open)
		return;
	code(z, "", 0, Z_FINISH);
	deflateReset(&z->deflate);
	fseeko(z->stream, (off_t)last(z)->offset, SEEK_SET);
	put_local(z, last(z));
	fseeko(z->stream, 0, SEEK_END);
	z->open = false;
}

void zip_component(struct zip_writer *z, const char *name)
{
	end_component(z);
	CHECKED_RESERVE(z->components, z->components.count + 1);
	z->components.at[z->components.count++] = (struct component){
		.name = checked_copy(name),
		.offset = (uint64_t)ftello(z->stream),
		.crc = (uint32_t)crc32(0, NULL, 0),
	};
	put_local(z, last(z));
	z->open = true;
}

bool zip_write(struct zip_writer *z, const void *bytes, size_t size)
{
	last(z)->crc = (uint32_t)crc32(last(z)->crc, bytes, (uInt)size);
	last(z)->size += size;
	return code(z, bytes, size, Z_NO_FLUSH);
}

/* Writes the end records: that of zip64, its locator, and that of archives without zip64. */
static void put_end(struct zip_writer *z, uint64_t begin, uint64_t end)
{
	enum { END_SIZE = 44 }; /* of the zip64 record, without its signature and this size */
	uint64_t n = z->components.count;
	struct header h = { 0 };

	add(&h, 4, 0x06064b50);
	add(&h, 8, END_SIZE);
	add(&h, 2, VERSION);
	add(&h, 2, VERSION);
	add(&h, 4, 0); /* disks */
	add(&h, 4, 0);
	add(&h, 8, n);
	add(&h, 8, n);
	add(&h, 8, end - begin);
	add(&h, 8, begin);
	add(&h, 4, 0x07064b50);
	add(&h, 4, 0);
	add(&h, 8, end);
	add(&h, 4, 1);
	add(&h, 4, 0x06054b50);
	add(&h, 4, 0);
	add(&h, 2, n < UINT16_MAX ? n : UINT16_MAX);
	add(&h, 2, n < UINT16_MAX ? n : UINT16_MAX);
	add(&h, 4, end - begin < UINT32_MAX ? end - begin : UINT32_MAX);
	add(&h, 4, begin < UINT32_MAX ? begin : UINT32_MAX);
	add(&h, 2, 0);
	put_header(z, &h, "");
}

void zip_end(struct zip_writer *z)
{
	uint64_t begin;

	end_component(z);
	begin = (uint64_t)ftello(z->stream);
	for (size_t i = 0; i < z->components.count; i++)
		put_central(z, &z->components.at[i]);
	put_end(z, begin, (uint64_t)ftello(z->stream));
}

void zip_free(struct zip_writer *z)
{
	if (!z)
		return;
	deflateEnd(&z->deflate);
	for (size_t i = 0; i < z->components.count; i++)
		free(z->components.at[i].name);
	free(z->components.at);
	free(z);
}
