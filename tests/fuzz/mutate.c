/* SPDX-License-Identifier: MIT */
/*
 * Mutates a trace behind its checksums: takes it apart into sections and columns, decompresses
 * them, changes some of their bytes, of the headers' fields or the order of sections, and puts it
 * together again with right hashes, index and trailer.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "traceformat/file/section.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { MAX_SECTIONS = 64, MAX_COLUMNS = 12, MAX_PART = 1 << 13 };

struct part {
	uint8_t *bytes;
	size_t size;
	uint16_t id;		/* of a column */
	uint8_t coding;
	uint64_t raw;		/* what the file says; 0: the truth */
	bool compress;
};

struct loose_section {
	struct section header;
	unsigned n_parts;	/* columns, or 1 */
	struct part parts[MAX_COLUMNS];
};

struct loose_trace {
	uint8_t header[FILE_HEADER_SIZE];
	bool finished;
	unsigned n_sections;
	struct loose_section sections[MAX_SECTIONS];
};

/* ---- taking apart -------------------------------------------------------------------------- */

static bool take_part(struct part *p, uint32_t codec, const uint8_t *stored, uint64_t stored_size,
		      uint64_t raw_size)
{
	void *context = NULL;
	bool good;

	if (raw_size > MAX_PART || stored_size > MAX_PART)
		return false;
	p->bytes = malloc(MAX_PART);
	p->size = raw_size;
	p->compress = codec == CODEC_ZSTD;
	good = p->bytes && payload_decode(&context, codec, stored, stored_size, p->bytes, raw_size) == 0;
	ZSTD_freeDCtx(context);
	return good;
}

static bool take_columns(struct loose_section *s, const uint8_t *payload, size_t size)
{
	size_t n = size >= 8 ? get_le16(payload) : 0, at = 8 + n * COLUMN_DESCRIPTOR_SIZE;

	if (size < 8 || n > MAX_COLUMNS || at > size)
		return false;
	for (; s->n_parts < n; s->n_parts++) {
		const uint8_t *d = payload + 8 + s->n_parts * COLUMN_DESCRIPTOR_SIZE;
		struct part *p = &s->parts[s->n_parts];

		if (get_le64(d + 8) > size - at)
			return false;
		p->id = get_le16(d);
		p->coding = d[2];
		if (!take_part(p, d[3], payload + at, get_le64(d + 8), get_le64(d + 16)))
			return false;
		at += get_le64(d + 8);
	}
	return true;
}

static void free_section(struct loose_section *s)
{
	for (unsigned i = 0; i < MAX_COLUMNS; i++)
		free(s->parts[i].bytes);
	memset(s, 0, sizeof(*s));
}

static bool take_apart(struct loose_trace *t, const uint8_t *data, size_t size)
{
	size_t at = FILE_HEADER_SIZE;
	uint64_t hash;

	if (size < at)
		return false;
	memcpy(t->header, data, at);
	while (t->n_sections < MAX_SECTIONS && size - at >= SECTION_HEADER_SIZE) {
		struct loose_section *s = &t->sections[t->n_sections];
		const uint8_t *payload = data + at + SECTION_HEADER_SIZE;

		if (!section_header_read(data + at, &s->header, &hash) ||
		    section_span(&s->header) > size - at)
			break;
		at += section_span(&s->header);
		t->finished |= s->header.kind == SECTION_INDEX;
		if (s->header.kind == SECTION_INDEX)
			break;
		if (s->header.codec == CODEC_COLUMNS ? take_columns(s, payload, s->header.stored) :
		    take_part(&s->parts[0], s->header.codec, payload, s->header.stored, s->header.raw)) {
			s->n_parts += s->header.codec != CODEC_COLUMNS;
			t->n_sections++;
		} else {
			free_section(s);
		}
	}
	return t->n_sections > 0;
}

/* ---- putting together ---------------------------------------------------------------------- */

static enum codec put_part(struct buffer *b, const struct part *p, void *compressor)
{
	if (p->compress)
		return payload_encode(compressor, 1, p->bytes, p->size, b);
	put_bytes(b, p->bytes, p->size);
	return CODEC_STORED;
}

static void put_columns(struct buffer *b, const struct loose_section *s, void *compressor)
{
	static const uint8_t zero[8 + MAX_COLUMNS * COLUMN_DESCRIPTOR_SIZE];

	put_bytes(b, zero, 8 + s->n_parts * COLUMN_DESCRIPTOR_SIZE);
	put_le16(b->data, (uint16_t)s->n_parts);
	for (unsigned i = 0; i < s->n_parts; i++) {
		const struct part *p = &s->parts[i];
		size_t before = b->size;
		enum codec codec = put_part(b, p, compressor);
		uint8_t *d = b->data + 8 + i * COLUMN_DESCRIPTOR_SIZE;

		put_le16(d, p->id);
		d[2] = p->coding;
		d[3] = (uint8_t)codec;
		put_le64(d + 8, b->size - before);
		put_le64(d + 16, p->raw ? p->raw : p->size);
		put_le64(d + 24, XXH3_64bits(b->data + before, b->size - before));
	}
}

static void put_section(struct buffer *file, struct section *s, const struct buffer *payload)
{
	static const uint8_t zero[8];
	uint8_t header[SECTION_HEADER_SIZE];

	s->offset = file->size;
	s->stored = payload->size;
	section_header_write(s, payload_hash(s->codec, payload->data, payload->size), header);
	put_bytes(file, header, sizeof(header));
	put_bytes(file, payload->data, payload->size);
	put_bytes(file, zero, -payload->size & 7);
}

static void put_end(struct buffer *file, const struct buffer *index, unsigned n_sections,
		    const uint8_t *uuid)
{
	struct section s = {
		.kind = SECTION_INDEX, .thread = TF_NONE, .number = n_sections, .raw = index->size,
	};
	uint8_t trailer[TRAILER_SIZE], hashed[32];

	put_section(file, &s, index);
	put_le64(trailer, s.offset);
	put_le64(trailer + 8, file->size + TRAILER_SIZE);
	memcpy(hashed, trailer, 16);
	memcpy(hashed + 16, uuid, 16);
	put_le64(trailer + 16, XXH3_64bits(hashed, 32));
	memcpy(trailer + 24, TRAILER_MAGIC, 8);
	put_bytes(file, trailer, sizeof(trailer));
}

static void put_together(struct loose_trace *t, struct buffer *file)
{
	struct buffer payload = { 0 }, index = { 0 };
	void *compressor = ZSTD_createCCtx();
	uint8_t entry[INDEX_ENTRY_SIZE];

	put_le64(t->header + 56, XXH3_64bits(t->header, 56));
	put_bytes(file, t->header, FILE_HEADER_SIZE);
	for (unsigned i = 0; i < t->n_sections; i++) {
		struct loose_section *s = &t->sections[i];
		struct section header = s->header;

		payload.size = 0;
		header.number = i + s->header.number;	/* 0, or what a mutation added */
		if (header.codec == CODEC_COLUMNS) {
			put_columns(&payload, s, compressor);
		} else {
			uint32_t codec = put_part(&payload, &s->parts[0], compressor);

			header.codec = header.codec > CODEC_COLUMNS ? header.codec : codec;
			header.raw = s->parts[0].raw ? s->parts[0].raw : s->parts[0].size;
		}
		put_section(file, &header, &payload);
		index_entry_write(&header, entry);
		put_bytes(&index, entry, sizeof(entry));
	}
	if (t->finished)
		put_end(file, &index, t->n_sections, t->header + 32);
	ZSTD_freeCCtx(compressor);
	buffer_free(&payload);
	buffer_free(&index);
}

/* ---- changing ------------------------------------------------------------------------------ */

static uint64_t random_number(void)
{
	static const uint64_t edges[] = {
		0, 1, 2, 255, 256, 4096, 16384, 65535, 65536, UINT32_MAX, UINT64_MAX, 1 << 20, 1 << 26,
		1 << 28, (1 << 26) + 1, UINT64_MAX / 2,
	};

	return rand() % 2 ? edges[(unsigned)rand() % 16] : (uint64_t)rand() >> rand() % 31;
}

static void change_header(struct section *s)
{
	switch (rand() % 9) {
	case 0: s->kind = (uint16_t)(rand() % 20); break;
	case 1: s->version = (uint8_t)(rand() % 3); break;
	case 2: s->flags = (uint8_t)(rand() % 8); break;
	case 3: s->thread = (uint32_t)random_number(); break;
	case 4: s->number = (uint32_t)random_number(); break;
	case 5: s->first = rand() % 2 ? random_number() : s->first + (uint64_t)(rand() % 5) - 2; break;
	case 6: s->count = rand() % 2 ? random_number() : s->count + (uint64_t)(rand() % 5) - 2; break;
	case 7: s->extra = rand() % 2 ? (uint32_t)random_number() : s->extra + (uint32_t)(rand() % 5) - 2;
		break;
	case 8: s->codec = (uint32_t)(rand() % 4); break;
	}
}

/* Varints written at random places reach more than random bytes do. */
static void put_number(struct part *p)
{
	uint8_t varint[MAX_VARINT];
	size_t n = (size_t)(write_varint(varint, random_number()) - varint);
	size_t at = p->size ? (size_t)rand() % p->size : 0;

	if (at + n > MAX_PART)
		return;
	memcpy(p->bytes + at, varint, n);
	if (at + n > p->size)
		p->size = at + n;
}

static void change_part(struct loose_section *s)
{
	struct part *p = &s->parts[(unsigned)rand() % (s->n_parts ? s->n_parts : 1)];

	if (!p->bytes)
		return;
	switch (rand() % 12) {
	case 0: p->raw = random_number(); break;
	case 1: p->compress = !p->compress; break;
	case 2: p->id = (uint16_t)(rand() % 40); break;
	case 3: p->coding = (uint8_t)(rand() % 3); break;
	case 4: case 5: case 6: put_number(p); break;
	default: p->size = LLVMFuzzerMutate(p->bytes, p->size, p->size + 64 < MAX_PART ? p->size + 64
										       : MAX_PART);
	}
}

static void change_order(struct loose_trace *t)
{
	unsigned i = (unsigned)rand() % t->n_sections, k = (unsigned)rand() % t->n_sections;
	struct loose_section swap = t->sections[i];

	t->sections[i] = t->sections[k];
	t->sections[k] = swap;
}

static void drop_section(struct loose_trace *t)
{
	unsigned i = (unsigned)rand() % t->n_sections;

	free_section(&t->sections[i]);
	memmove(&t->sections[i], &t->sections[i + 1], (t->n_sections - i - 1) * sizeof(*t->sections));
	memset(&t->sections[--t->n_sections], 0, sizeof(*t->sections));
}

static void double_section(struct loose_trace *t)
{
	const struct loose_section *from = &t->sections[(unsigned)rand() % t->n_sections];
	struct loose_section *to = &t->sections[t->n_sections];

	if (t->n_sections == MAX_SECTIONS)
		return;
	*to = *from;
	for (unsigned i = 0; i < MAX_COLUMNS; i++)
		if (from->parts[i].bytes) {
			to->parts[i].bytes = malloc(MAX_PART);
			memcpy(to->parts[i].bytes, from->parts[i].bytes, MAX_PART);
		}
	t->n_sections++;
}

static void change(struct loose_trace *t)
{
	struct loose_section *s = &t->sections[(unsigned)rand() % t->n_sections];

	switch (rand() % 24) {
	case 0: t->header[8 + rand() % 24] ^= (uint8_t)(1 << rand() % 8); break;
	case 1: t->finished = !t->finished; break;
	case 2: change_order(t); break;
	case 3: if (t->n_sections > 1) drop_section(t); break;
	case 4: double_section(t); break;
	case 5: case 6: case 7: case 8: change_header(&s->header); break;
	default: change_part(s);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	static struct loose_trace t;
	struct buffer file = { 0 };
	bool whole;

	srand(seed);
	whole = rand() % 20 && take_apart(&t, data, size);
	if (whole) {
		for (unsigned i = 0; i < t.n_sections; i++)
			t.sections[i].header.number = 0;
		for (int n = 1 + rand() % 3; n; n--)
			change(&t);
		put_together(&t, &file);
	}
	for (unsigned i = 0; i < MAX_SECTIONS; i++)
		free_section(&t.sections[i]);
	memset(&t, 0, sizeof(t));
	if (whole && file.size && file.size <= max_size) {
		size = file.size;
		memcpy(data, file.data, size);
	} else {
		size = LLVMFuzzerMutate(data, size, max_size);
	}
	buffer_free(&file);
	return size;
}
