/* SPDX-License-Identifier: MIT */
/*
 * The slot coding (FORMAT.md 5.3): a slot is expected to differ from its source, which is another
 * slot or its own last value, by as much as it did last time.
 *
 *	hits    one bit a slot execution, least significant first: 1 if value == source + stride
 *	misses  residuals: value - source, which is the new stride (residuals.h)
 */
#ifndef SLOTS_H
#define SLOTS_H

#include "traceformat/codings/residuals.h"

/* The states of a path, some of them unused, take whole cache lines. */
enum { SLOT_STATES_LINE = 8 };

static inline uint32_t slot_states_of(uint32_t n_slots)
{
	return (n_slots + SLOT_STATES_LINE - 1) / SLOT_STATES_LINE * SLOT_STATES_LINE;
}

enum slot_need {
	SLOT_NEEDED = 1,   /* by the slot */
	SLOTS_OF_PATH = 2, /* by the first slot of a path */
};

/*
 * The states of all static slots. The arrays grow with the dictionary; each chunk starts with
 * zeros.
 */
struct slot_states {
	uint64_t *last, *stride;
	int32_t *source; /* its number - the slot's own; 0: the slot itself */
	size_t count;
	uint8_t *needed; /* enum slot_need, or-ed; see slot_sources_need */
	bool sourced;    /* some source is not 0, */
	bool any_needed; /* some element of needed is not 0 */
};

/* Makes room for `count` slots, all 0; earlier contents are lost. */
bool slot_states_reset(struct slot_states *states, size_t count);

/* Zeroes the last values and strides of a path's slots. */
void slot_states_clear(struct slot_states *states, size_t base, size_t count);

/* Makes room for `count` slots, in whole lines, and keeps earlier contents. */
bool slot_states_extend(struct slot_states *states, size_t count);

void slot_states_free(struct slot_states *states);

/*
 * The slots of an execution: the first `count` slots of a path. The path's states begin at `base`,
 * the start of a cache line.
 */
struct slot_record {
	uint32_t base;
	uint16_t count, path_slots;
	const uint64_t *slots;
};

struct slot_encoder {
	struct slot_states states;
	uint64_t bits;
	unsigned n_bits;
	uint64_t n_slots; /* encoded in this chunk */
	struct buffer hits, residuals[RESIDUAL_PLANES];
};

enum { SPAN_SLOTS = 2048 };

/*
 * Encodes records that have at most SPAN_SLOTS slots together. A single record may have any number,
 * and only a single one may have none. False if memory is out.
 */
bool slots_encode(struct slot_encoder *encoder, const struct slot_record *records, unsigned n);

/* Ends the columns, which are then complete. */
void slots_encode_end(struct slot_encoder *encoder);

void slot_encoder_free(struct slot_encoder *encoder);

/* Returns the size of the columns, bytes. */
size_t slots_encoded(const struct slot_encoder *encoder);

struct slot_decoder {
	struct slot_states states;
	uint64_t next_bit, n_bits;
	uint64_t skipped;    /* slots behind next_bit that are still to be stepped over */
	const uint8_t *hits; /* with at least 8 readable bytes behind them */
	struct residual_decoder residuals;
};

/* Decodes up to 56 slots whose hits begin at `bit`. */
FORCE_INLINE void slots_decode_few(struct slot_decoder *d, uint64_t bit, size_t base,
				   uint64_t *slots, unsigned count)
{
	uint64_t hits = get_le64(d->hits + bit / 8) >> bit % 8;
	uint64_t residuals = ~hits & ((UINT64_C(1) << count) - 1);
	uint64_t *last = d->states.last + base, *stride = d->states.stride + base;

	for (; residuals; residuals &= residuals - 1)
		stride[__builtin_ctzll(residuals)] = take_miss(&d->residuals);
	if (d->states.sourced) {
		const int32_t *source = d->states.source + base;

		for (unsigned i = 0; i < count; i++)
			slots[i] = last[i] = last[(int32_t)i + source[i]] + stride[i];
	} else {
		for (unsigned i = 0; i < count; i++)
			slots[i] = last[i] += stride[i];
	}
}

/* Decodes one record into slots; false if the columns are used up or damaged. */
FORCE_INLINE bool slots_decode(struct slot_decoder *d, size_t base, uint64_t *slots, unsigned count)
{
	enum { FEW = 56 };
	uint64_t bit = d->next_bit;

	if (count > d->n_bits - bit)
		return false;
	d->next_bit = bit + count;
	for (; count > FEW; count -= FEW, bit += FEW, base += FEW, slots += FEW)
		slots_decode_few(d, bit, base, slots, FEW);
	if (count)
		slots_decode_few(d, bit, base, slots, count);
	return !d->residuals.bad;
}

/*
 * Steps over slots that are not wanted, when slots_finish_skip() is called. Later slots of the
 * chunk decode correctly only if no slot of their path was stepped over, and none of the path of
 * their source.
 */
static inline void slots_skip(struct slot_decoder *d, unsigned count)
{
	d->skipped += count;
}

bool slots_step_over(struct slot_decoder *decoder);

/*
 * Steps over the slots that slots_skip() has left. Returns false if the columns are used up or
 * damaged.
 */
static inline bool slots_finish_skip(struct slot_decoder *d)
{
	struct slot_decoder copy; /* so that the caller's can stay in registers */
	bool sound;

	if (!d->skipped)
		return true;
	copy = *d;
	sound = slots_step_over(&copy);
	*d = copy;
	return sound;
}

#endif
