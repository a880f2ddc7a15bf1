/* SPDX-License-Identifier: MIT */
/*
 * gem5's files of messages of protobuf: "gem5", then messages, each behind its size. Ticks are
 * picoseconds.
 */
#ifndef GEM5_MESSAGES_H
#define GEM5_MESSAGES_H

#include <string.h>

#include "cli/export/exporter.h"

enum { GEM5_VARINT = 0, GEM5_BYTES = 2, GEM5_FRAME = 2, GEM5_SHORT_FRAME = 1, GEM5_ROOM = 1022 };

#define GEM5_TICKS_PER_SECOND UINT64_C(1000000000000)

/* Stores a number at a place, and returns the place behind it. */
static inline uint8_t *gem5_store(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

static inline uint8_t *gem5_store_number(uint8_t *at, unsigned field, uint64_t value)
{
	*at++ = (uint8_t)(field << 3 | GEM5_VARINT);
	return gem5_store(at, value);
}

/* A message behind room for its size, which takes one byte or two. */
struct gem5_message {
	size_t size;
	uint8_t framed[GEM5_FRAME + GEM5_ROOM];
};

static inline void gem5_varint(struct gem5_message *m, uint64_t value)
{
	uint8_t *start = m->framed + GEM5_FRAME;

	m->size = (size_t)(gem5_store(start + m->size, value) - start);
}

static inline void gem5_number(struct gem5_message *m, unsigned field, uint64_t value)
{
	gem5_varint(m, field << 3 | GEM5_VARINT);
	gem5_varint(m, value);
}

static inline void gem5_bytes(struct gem5_message *m, unsigned field, const void *bytes,
			      size_t size)
{
	gem5_varint(m, field << 3 | GEM5_BYTES);
	gem5_varint(m, size);
	memcpy(m->framed + GEM5_FRAME + m->size, bytes, size);
	m->size += size;
}

static inline void gem5_put(struct export_run *e, struct gem5_message *m)
{
	bool is_long = m->size >= 0x80;

	m->framed[0] = (uint8_t)(m->size | 0x80);
	m->framed[1] = (uint8_t)(is_long ? m->size >> 7 : m->size);
	pack_write(e->out, m->framed + !is_long, m->size + 1 + is_long);
}

/*
 * Frames a message that has been made behind the room of a short frame, and returns the place
 * behind the message.
 */
static inline uint8_t *gem5_end(uint8_t *start, uint8_t *end)
{
	size_t size = (size_t)(end - start - GEM5_SHORT_FRAME);

	if (size < 0x80) {
		*start = (uint8_t)size;
		return end;
	}
	memmove(start + GEM5_FRAME, start + GEM5_SHORT_FRAME, size);
	gem5_store(start, size);
	return end + GEM5_FRAME - GEM5_SHORT_FRAME;
}

/* Writes what begins a file: the fields that all headers have are 1 and 3. */
static inline void gem5_begin(struct export_run *e, struct gem5_message *m)
{
	enum { OBJECT = 1, TICKS = 3 };
	static const char object[] = "tracelab";

	pack_write(e->out, "gem5", 4);
	m->size = 0;
	gem5_bytes(m, OBJECT, object, strlen(object));
	gem5_number(m, TICKS, GEM5_TICKS_PER_SECOND);
}

#endif
