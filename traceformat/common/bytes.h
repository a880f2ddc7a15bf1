/* SPDX-License-Identifier: MIT */
/*
 * Little-endian fields and varints (FORMAT.md 1): appending to a growing buffer, and reading
 * from a span that never runs past its end.
 */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* For hot loops, whose state must not be forced into memory by a call. */
#define FORCE_INLINE static inline __attribute__((always_inline))

static inline void put_le16(uint8_t *p, uint16_t v)
{
	memcpy(p, &v, 2);
}
static inline void put_le32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}
static inline void put_le64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, 8);
}

static inline uint16_t get_le16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, 2);
	return v;
}
static inline uint32_t get_le32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}
static inline uint64_t get_le64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return v;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "le helpers copy as they are");

static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}
static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* Bytes that grow. After a failed allocation `failed` stays set and appending does nothing. */
struct buffer {
	uint8_t *data;
	size_t size, capacity; /* bytes */
	bool failed;
};

bool buffer_grow(struct buffer *buffer, size_t more);

/* Makes room for `more` bytes behind size; false if memory is out. */
static inline bool buffer_reserve(struct buffer *b, size_t more)
{
	return b->capacity - b->size >= more || buffer_grow(b, more);
}

static inline void buffer_free(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){ 0 };
}

static inline void put_bytes(struct buffer *b, const void *bytes, size_t size)
{
	if (size && buffer_reserve(b, size)) {
		memcpy(b->data + b->size, bytes, size);
		b->size += size;
	}
}

static inline void put_u8(struct buffer *b, uint8_t v)
{
	put_bytes(b, &v, 1);
}

enum { MAX_VARINT = 10 };

/* Writes v at p, which has room for MAX_VARINT bytes; returns the end. */
static inline uint8_t *write_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)v | 0x80;
	*p++ = (uint8_t)v;
	return p;
}

static inline void put_varint(struct buffer *b, uint64_t v)
{
	if (buffer_reserve(b, MAX_VARINT))
		b->size = (size_t)(write_varint(b->data + b->size, v) - b->data);
}

static inline void put_svarint(struct buffer *b, int64_t v)
{
	put_varint(b, zigzag(v));
}

/* Appends index + 1, so that TF_NONE is 0. */
static inline void put_index(struct buffer *b, uint32_t index)
{
	put_varint(b, (uint32_t)(index + 1));
}

static inline void put_string(struct buffer *b, const char *s)
{
	size_t size = s ? strlen(s) : 0;

	put_varint(b, size);
	put_bytes(b, s, size);
}

/* Bytes to read. Once something does not fit, `bad` stays set and every read gives 0. */
struct span {
	const uint8_t *at, *end;
	bool bad;
};

/* Returns a span over data, which may be NULL if size is 0. */
static inline struct span span_of(const uint8_t *data, size_t size)
{
	static const uint8_t nothing[1];

	data = data ? data : nothing;
	return (struct span){ data, data + size, false };
}

static inline size_t span_left(const struct span *s)
{
	return (size_t)(s->end - s->at);
}

/* Returns the next size bytes, or NULL. */
static inline const uint8_t *take_bytes(struct span *s, uint64_t size)
{
	const uint8_t *at = s->at;

	if (s->bad || size > span_left(s)) {
		s->bad = true;
		return NULL;
	}
	s->at += size;
	return at;
}

static inline uint8_t take_u8(struct span *s)
{
	const uint8_t *p = take_bytes(s, 1);

	return p ? *p : 0;
}

/*
 * Takes a varint out of line, through a copy of the span, so that the caller's span can stay in
 * registers.
 */
static __attribute__((noinline, unused)) uint64_t take_varint_slowly(struct span *s)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (s->at < s->end && !s->bad) {
		uint8_t byte = *s->at++;

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
		shift += 7;
		if (shift > 63)
			break;
	}
	s->bad = true;
	return 0;
}

/* Packs the low 7 bits of each of 8 bytes together. */
static inline uint64_t pack_groups(uint64_t v)
{
	v &= UINT64_C(0x7f7f7f7f7f7f7f7f);
	v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
	v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
}

/*
 * Takes a varint. If it has up to 8 bytes and is not too near the end, its length needs no branch.
 */
static inline uint64_t take_varint(struct span *s)
{
	uint64_t v = span_left(s) >= 8 ? get_le64(s->at) : UINT64_MAX;
	uint64_t ends = ~v & UINT64_C(0x8080808080808080);

	if (!ends) {
		struct span copy = *s;

		v = take_varint_slowly(&copy);
		*s = copy;
		return v;
	}
	s->at += __builtin_ctzll(ends) / 8 + 1;
	return pack_groups(v & (ends ^ (ends - 1)));
}

static inline int64_t take_svarint(struct span *s)
{
	return unzigzag(take_varint(s));
}

/* Takes a varint that must not exceed max. */
static inline uint64_t take_varint_max(struct span *s, uint64_t max)
{
	uint64_t v = take_varint(s);

	if (v > max) {
		s->bad = true;
		return 0;
	}
	return v;
}

static inline uint32_t take_index(struct span *s)
{
	return (uint32_t)take_varint_max(s, UINT32_MAX) - 1;
}

#endif
