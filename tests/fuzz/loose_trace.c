/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/loose_trace.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { MAX_PARTS = 64 };

/* ---- taking apart -------------------------------------------------------------------------- */

static bool take_part(struct loose_part *p, uint32_t codec, const uint8_t *stored,
		      uint64_t stored_size, uint64_t raw_size, uint64_t limit)
{
	void *context = NULL;
	bool good;

	if (raw_size > limit || stored_size > limit || !buffer_reserve(&p->bytes, raw_size + 1))
		return false;
	p->bytes.size = raw_size;
	p->compress = codec == CODEC_ZSTD;
	good = payload_decode(&context, codec, stored, stored_size, p->bytes.data, raw_size) == 0;
	ZSTD_freeDCtx(context);
	return good;
}

static struct loose_part *add_part(struct loose_section *s)
{
	s->parts = realloc(s->parts, (s->n_parts + 1) * sizeof(*s->parts));
	if (!s->parts)
		abort();
	memset(&s->parts[s->n_parts], 0, sizeof(*s->parts));
	return &s->parts[s->n_parts++];
}

static bool take_columns(struct loose_section *s, const uint8_t *payload, size_t size,
			 uint64_t limit)
{
	size_t n = size >= 8 ? get_le16(payload) : 0, at = 8 + n * COLUMN_DESCRIPTOR_SIZE;

	if (size < 8 || n > MAX_PARTS || at > size)
		return false;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *d = payload + 8 + i * COLUMN_DESCRIPTOR_SIZE;
		struct loose_part *p = add_part(s);

		if (get_le64(d + 8) > size - at)
			return false;
		p->id = get_le16(d);
		p->coding = d[2];
		if (!take_part(p, d[3], payload + at, get_le64(d + 8), get_le64(d + 16), limit))
			return false;
		at += get_le64(d + 8);
	}
	return true;
}

static void free_section(struct loose_section *s)
{
	for (unsigned i = 0; i < s->n_parts; i++)
		buffer_free(&s->parts[i].bytes);
	free(s->parts);
	memset(s, 0, sizeof(*s));
}

/* Makes room for a section, zeroed, before section `at`. */
static struct loose_section *insert(struct loose_trace *t, unsigned at)
{
	t->sections = realloc(t->sections, (t->n_sections + 1) * sizeof(*t->sections));
	if (!t->sections)
		abort();
	at = at < t->n_sections ? at : t->n_sections;
	memmove(&t->sections[at + 1], &t->sections[at],
		(t->n_sections - at) * sizeof(*t->sections));
	memset(&t->sections[at], 0, sizeof(*t->sections));
	t->n_sections++;
	return &t->sections[at];
}

static bool take_section(struct loose_trace *t, const struct section *header,
			 const uint8_t *payload, uint64_t limit)
{
	struct loose_section *s = insert(t, t->n_sections);
	bool good;

	s->header = *header;
	s->header.number = 0;
	good = header->codec == CODEC_COLUMNS ? take_columns(s, payload, header->stored, limit)
					      : take_part(add_part(s), header->codec, payload,
							  header->stored, header->raw, limit);
	if (!good)
		loose_trace_drop(t, t->n_sections - 1);
	return good;
}

bool loose_trace_take(struct loose_trace *t, const uint8_t *bytes, size_t size, uint64_t part_limit)
{
	size_t at = FILE_HEADER_SIZE;
	struct section header = { 0 };
	uint64_t hash;

	if (size < at)
		return false;
	memcpy(t->header, bytes, at);
	while (size - at >= SECTION_HEADER_SIZE &&
	       section_header_read(bytes + at, &header, &hash) &&
	       section_span(&header) <= size - at) {
		t->finished |= header.kind == SECTION_INDEX;
		if (header.kind == SECTION_INDEX)
			break;
		if (header.kind != SECTION_COPIES)
			take_section(t, &header, bytes + at + SECTION_HEADER_SIZE, part_limit);
		at += section_span(&header);
	}
	return t->n_sections > 0;
}

void loose_trace_free(struct loose_trace *t)
{
	for (unsigned i = 0; i < t->n_sections; i++)
		free_section(&t->sections[i]);
	free(t->sections);
	memset(t, 0, sizeof(*t));
}

/* ---- putting together ---------------------------------------------------------------------- */

static enum codec put_part(struct buffer *b, const struct loose_part *p, void *compressor)
{
	if (p->compress)
		return payload_encode(compressor, 1, p->bytes.data, p->bytes.size, b);
	put_bytes(b, p->bytes.data, p->bytes.size);
	return CODEC_STORED;
}

static void put_columns(struct buffer *b, const struct loose_section *s, void *compressor)
{
	static const uint8_t zero[8 + MAX_PARTS * COLUMN_DESCRIPTOR_SIZE];

	put_bytes(b, zero, 8 + s->n_parts * COLUMN_DESCRIPTOR_SIZE);
	put_le16(b->data, (uint16_t)s->n_parts);
	for (unsigned i = 0; i < s->n_parts; i++) {
		const struct loose_part *p = &s->parts[i];
		size_t before = b->size;
		enum codec codec = put_part(b, p, compressor);
		uint8_t *d = b->data + 8 + i * COLUMN_DESCRIPTOR_SIZE;

		put_le16(d, p->id);
		d[2] = p->coding;
		d[3] = (uint8_t)codec;
		put_le64(d + 8, b->size - before);
		put_le64(d + 16, p->raw ? p->raw : p->bytes.size);
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
		.kind = SECTION_INDEX,
		.thread = TF_NONE,
		.number = n_sections,
		.raw = index->size,
		.count = n_sections,
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

/* Makes a section's header and payload as they are in the file. */
static struct section make_section(const struct loose_section *s, struct buffer *payload,
				   void *compressor)
{
	struct section header = s->header;
	uint32_t codec;

	payload->size = 0;
	if (header.codec == CODEC_COLUMNS) {
		put_columns(payload, s, compressor);
	} else if (s->n_parts) {
		codec = put_part(payload, &s->parts[0], compressor);
		header.codec = header.codec > CODEC_COLUMNS ? header.codec : codec;
		header.raw = s->parts[0].raw ? s->parts[0].raw : s->parts[0].bytes.size;
	}
	return header;
}

void loose_trace_put(const struct loose_trace *t, struct buffer *file)
{
	struct buffer payload = { 0 }, index = { 0 };
	uint8_t entry[INDEX_ENTRY_SIZE], head[FILE_HEADER_SIZE];
	void *compressor = ZSTD_createCCtx();

	memcpy(head, t->header, sizeof(head));
	put_le64(head + 56, XXH3_64bits(head, 56));
	put_bytes(file, head, sizeof(head));
	for (unsigned i = 0; i < t->n_sections; i++) {
		struct section header = make_section(&t->sections[i], &payload, compressor);

		header.number = i + t->sections[i].number_change;
		put_section(file, &header, &payload);
		index_entry_write(&header, entry);
		put_bytes(&index, entry, sizeof(entry));
	}
	if (t->finished)
		put_end(file, &index, t->n_sections, head + 32);
	ZSTD_freeCCtx(compressor);
	buffer_free(&payload);
	buffer_free(&index);
}

/* ---- changing ------------------------------------------------------------------------------ */

int loose_trace_find(const struct loose_trace *t, unsigned kind, unsigned n)
{
	for (unsigned i = 0; i < t->n_sections; i++)
		if (t->sections[i].header.kind == kind && n-- == 0)
			return (int)i;
	return -1;
}

void loose_trace_drop(struct loose_trace *t, unsigned i)
{
	free_section(&t->sections[i]);
	memmove(&t->sections[i], &t->sections[i + 1],
		(t->n_sections - i - 1) * sizeof(*t->sections));
	t->n_sections--;
}

void loose_trace_double(struct loose_trace *t, unsigned from, unsigned at)
{
	struct loose_section *to = insert(t, at);
	const struct loose_section *s = &t->sections[from < at ? from : from + 1];

	to->header = s->header;
	to->number_change = s->number_change;
	for (unsigned i = 0; i < s->n_parts; i++) {
		struct loose_part *p = add_part(to);

		*p = s->parts[i];
		p->bytes = (struct buffer){ 0 };
		put_bytes(&p->bytes, s->parts[i].bytes.data, s->parts[i].bytes.size);
	}
}

void loose_trace_swap(struct loose_trace *t, unsigned a, unsigned b)
{
	struct loose_section swap = t->sections[a];

	t->sections[a] = t->sections[b];
	t->sections[b] = swap;
}

struct loose_section *loose_trace_add(struct loose_trace *t, unsigned kind, unsigned flags)
{
	struct loose_section *s = insert(t, t->n_sections);

	s->header.kind = (uint16_t)kind;
	s->header.flags = (uint8_t)flags;
	s->header.thread = TF_NONE;
	add_part(s);
	return s;
}

bool loose_part_set_varint(struct loose_part *p, size_t from, unsigned n, uint64_t value)
{
	struct span s = span_of(p->bytes.data, p->bytes.size);
	struct buffer changed = { 0 };
	const uint8_t *begin;

	take_bytes(&s, from);
	for (; n; n--)
		take_varint(&s);
	begin = s.at;
	take_varint(&s);
	if (s.bad)
		return false;
	put_bytes(&changed, p->bytes.data, (size_t)(begin - p->bytes.data));
	put_varint(&changed, value);
	put_bytes(&changed, s.at, span_left(&s));
	buffer_free(&p->bytes);
	p->bytes = changed;
	return true;
}
