/* SPDX-License-Identifier: MIT */
/*
 * The slot coding (FORMAT.md 5.3): each static slot is expected to go on by its last stride.
 *
 *	hits    one bit a slot execution, least significant first: 1 if value == last + stride
 *	misses  zigzag varint value - last, which is the new stride
 */
#ifndef SLOTS_H
#define SLOTS_H

#include "bytes.h"

struct slot_state {
	uint64_t last, stride;
};

/* States of all static slots; grows with the dictionary, starts at 0 in every chunk. */
struct slot_states {
	struct slot_state *states;
	size_t count;
};

/* Makes room for `count` slots, all 0; what was there is forgotten. */
bool slot_states_reset(struct slot_states *states, size_t count);

/* Makes room for `count` slots and keeps what is there. */
bool slot_states_extend(struct slot_states *states, size_t count);

void slot_states_free(struct slot_states *states);

struct slot_encoder {
	struct slot_states states;
	uint64_t bits;
	unsigned n_bits;
	uint64_t n_slots;	/* encoded in this chunk */
	struct buffer hits, misses;
};

/* Encodes one record: `count` slots whose states begin at `base`. */
static inline void slots_encode(struct slot_encoder *e, size_t base, const uint64_t *slots,
				unsigned count)
{
	struct slot_state *state = e->states.states + base;

	for (unsigned i = 0; i < count; i++, state++) {
		uint64_t hit = slots[i] == state->last + state->stride;

		e->bits |= hit << e->n_bits;
		if (!hit) {
			state->stride = slots[i] - state->last;
			put_svarint(&e->misses, (int64_t)state->stride);
		}
		state->last = slots[i];
		if (++e->n_bits == 64) {
			put_bytes(&e->hits, &e->bits, 8);
			e->bits = e->n_bits = 0;
		}
	}
	e->n_slots += count;
}

static inline void slots_encode_end(struct slot_encoder *e)
{
	put_bytes(&e->hits, &e->bits, (e->n_bits + 7) / 8);
	e->bits = e->n_bits = 0;
}

struct slot_decoder {
	struct slot_states states;
	uint64_t next_bit, n_bits;
	const uint8_t *hits;	/* with at least 8 readable bytes behind them */
	struct span misses;
};

/* Decodes up to 56 slots whose hits begin at `bit`. */
FORCE_INLINE void slots_decode_few(struct slot_decoder *d, uint64_t bit, struct slot_state *state,
				    uint64_t *slots, unsigned count)
{
	uint64_t hits = get_le64(d->hits + bit / 8) >> bit % 8;
	uint64_t misses = ~hits & ((UINT64_C(1) << count) - 1);

	for (; misses; misses &= misses - 1)
		state[__builtin_ctzll(misses)].stride = (uint64_t)take_svarint(&d->misses);
	for (unsigned i = 0; i < count; i++)
		slots[i] = state[i].last += state[i].stride;
}

/* Decodes one record into slots; false if the columns are used up or damaged. */
FORCE_INLINE bool slots_decode(struct slot_decoder *d, size_t base, uint64_t *slots,
				unsigned count)
{
	enum { FEW = 56 };
	struct slot_state *state = d->states.states + base;
	uint64_t bit = d->next_bit;

	if (count > d->n_bits - bit)
		return false;
	d->next_bit = bit + count;
	for (; count > FEW; count -= FEW, bit += FEW, state += FEW, slots += FEW)
		slots_decode_few(d, bit, state, slots, FEW);
	if (count)
		slots_decode_few(d, bit, state, slots, count);
	return !d->misses.bad;
}

#endif
