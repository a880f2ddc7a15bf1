/* SPDX-License-Identifier: MIT */
#include "recorder/translate/emit/states.h"

#include <string.h>

enum { STATE_BYTES = sizeof(struct state) };

_Static_assert(STATE_BYTES == 16, "a state has no padding, and a bit of the mask for each byte");

/* Appends the bytes in which word number `word` of the two words of a state differs from the
 * previous state, and sets their bits in the mask. Returns the place after the bytes. */
static uint8_t *pack_word(const struct state *state, const struct state *before, unsigned word,
			  uint16_t *mask, uint8_t *to)
{
	uint64_t now, was;

	memcpy(&now, (const uint8_t *)state + word * sizeof(now), sizeof(now));
	memcpy(&was, (const uint8_t *)before + word * sizeof(was), sizeof(was));
	for (uint64_t differ = now ^ was; differ;) {
		unsigned byte = (unsigned)__builtin_ctzll(differ) / 8;

		*mask |= (uint16_t)(1u << (word * sizeof(now) + byte));
		*to++ = (uint8_t)(now >> byte * 8);
		differ &= ~(UINT64_C(0xff) << byte * 8);
	}
	return to;
}

/*
 * A packed state begins with a byte for the bytes that differ often: the lowest of offset, executed
 * and counted, and all of flags, place and exit. If others differ, RARE is set, and a mask of all
 * bytes follows in which only the rare ones count.
 */
enum { OFTEN = 0xf501, RARE = 0x80 };

static uint8_t *pack_mask(uint16_t mask, uint8_t *to)
{
	uint16_t rare = (uint16_t)(mask & ~OFTEN);

	*to++ = (uint8_t)((mask & 1) | (mask >> 8 & 1) << 1 | (mask >> 10 & 1) << 2 |
			  mask >> 12 << 3 | (rare ? RARE : 0));
	if (!rare)
		return to;
	memcpy(to, &rare, sizeof(rare));
	return to + sizeof(rare);
}

static const uint8_t *unpack_mask(const uint8_t *packed, uint16_t *mask)
{
	unsigned often = *packed++;
	uint16_t rare = 0;

	if (often & RARE) {
		memcpy(&rare, packed, sizeof(rare));
		packed += sizeof(rare);
	}
	*mask = (uint16_t)((often & 1) | (often >> 1 & 1) << 8 | (often >> 2 & 1) << 10 |
			   (often >> 3 & 0xf) << 12 | rare);
	return packed;
}

size_t states_pack(const struct state *states, unsigned n, uint8_t *to)
{
	struct state before = { 0 };
	const uint8_t *begin = to;

	for (unsigned i = 0; i < n; i++) {
		uint8_t bytes[STATE_BYTES], *end = bytes;
		uint16_t mask = 0;

		end = pack_word(&states[i], &before, 0, &mask, end);
		end = pack_word(&states[i], &before, 1, &mask, end);
		to = pack_mask(mask, to);
		memcpy(to, bytes, (size_t)(end - bytes));
		to += end - bytes;
		before = states[i];
	}
	return (size_t)(to - begin);
}

const uint8_t *states_next(const uint8_t *packed, struct state *state)
{
	uint8_t *now = (uint8_t *)state;
	uint16_t mask;

	packed = unpack_mask(packed, &mask);
	for (; mask; mask &= (uint16_t)(mask - 1))
		now[__builtin_ctz(mask)] = *packed++;
	return packed;
}

struct state states_at(const uint8_t *packed, unsigned n, uint32_t offset)
{
	struct state state = { 0 }, next;

	packed = states_next(packed, &state);
	next = state;
	for (unsigned i = 1; i < n; i++) {
		packed = states_next(packed, &next);
		if (next.offset > offset)
			break;
		state = next;
	}
	return state;
}
