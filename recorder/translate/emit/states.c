/* SPDX-License-Identifier: MIT */
#include "recorder/translate/emit/states.h"

#include <string.h>

enum { STATE_BYTES = sizeof(struct state) };

_Static_assert(STATE_BYTES == 16, "a state has no padding, and a bit of the mask for each byte");

/* A mask of the bytes that differ, and these bytes. */
static size_t pack(const struct state *state, const struct state *before, uint8_t *to)
{
	const uint8_t *now = (const uint8_t *)state, *was = (const uint8_t *)before;
	uint16_t mask = 0;
	size_t size = sizeof(mask);

	for (unsigned i = 0; i < STATE_BYTES; i++) {
		if (now[i] == was[i])
			continue;
		mask |= (uint16_t)(1u << i);
		if (to)
			to[size] = now[i];
		size++;
	}
	if (to)
		memcpy(to, &mask, sizeof(mask));
	return size;
}

size_t states_pack(const struct state *states, unsigned n, uint8_t *to)
{
	struct state before = { 0 };
	size_t size = 0;

	for (unsigned i = 0; i < n; i++) {
		size += pack(&states[i], &before, to ? to + size : NULL);
		before = states[i];
	}
	return size;
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
