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

size_t states_pack(const struct state *states, unsigned n, uint8_t *to)
{
	struct state before = { 0 };
	const uint8_t *begin = to;

	for (unsigned i = 0; i < n; i++) {
		uint8_t *mask_at = to;
		uint16_t mask = 0;

		to += sizeof(mask);
		to = pack_word(&states[i], &before, 0, &mask, to);
		to = pack_word(&states[i], &before, 1, &mask, to);
		memcpy(mask_at, &mask, sizeof(mask));
		before = states[i];
	}
	return (size_t)(to - begin);
}

const uint8_t *states_next(const uint8_t *packed, struct state *state)
{
	uint8_t *now = (uint8_t *)state;
	uint16_t mask;

	memcpy(&mask, packed, sizeof(mask));
	packed += sizeof(mask);
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
