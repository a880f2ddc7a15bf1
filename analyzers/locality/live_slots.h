/* SPDX-License-Identifier: MIT */
/*
 * Slots handed out one after the other, some of them live, and how many live ones are newer than a
 * given one. A bit a slot, and above the bits counters of groups of 512 slots, of 32 such groups,
 * and so on: the tree of J. G. Bennett and V. J. Kruskal, "LRU stack processing", IBM Journal of
 * Research and Development 19 (4), 1975, with wide nodes.
 */
#ifndef LOCALITY_LIVE_SLOTS_H
#define LOCALITY_LIVE_SLOTS_H

#include <stdint.h>

enum {
	LINE_SHIFT = 9,
	LINE_WORDS = 8, /* slots below the lowest counters: 512 bits */
	FAN_SHIFT = 5,
	FAN_OUT = 1 << FAN_SHIFT,
	MAX_LEVELS = 5, /* 512 * 32^5 > 2^32 */
};

struct live_slots {
	uint64_t *bits;
	uint32_t *counts[MAX_LEVELS]; /* live slots of each group of 512 * 32^level */
	unsigned n_levels;            /* the last one has one group of FAN_OUT or less */
	uint32_t capacity;            /* slots; a power of two */
	uint32_t next;                /* the slot to be handed out */
	uint32_t n_live;
};

/* Initializes the slots. Ends the process if memory is out. */
void live_slots_init(struct live_slots *slots);
void live_slots_free(struct live_slots *slots);

/*
 * Frees slots that are not live: live_slots_rank gives the new number of each live one, from 0 on
 * and in the same order. Between begin and end nothing else is allowed.
 */
void live_slots_renumber_begin(struct live_slots *slots);
void live_slots_renumber_end(struct live_slots *slots);

static inline void live_slots_prefetch(const struct live_slots *slots, uint32_t slot)
{
	__builtin_prefetch(&slots->bits[slot / 64 & ~(LINE_WORDS - 1u)]);
	__builtin_prefetch(&slots->counts[0][slot >> LINE_SHIFT & ~(FAN_OUT - 1u)]);
	__builtin_prefetch(&slots->counts[0][slot >> LINE_SHIFT | (FAN_OUT / 2)]);
}

static inline void live_slots_add(struct live_slots *slots, uint32_t slot, int32_t change)
{
	uint32_t group = slot >> LINE_SHIFT;

	for (unsigned level = 0; level < slots->n_levels; level++, group >>= FAN_SHIFT)
		slots->counts[level][group] += change;
	slots->n_live += change;
}

/* Hands out a slot, which is live. There must be room: next < capacity. */
static inline uint32_t live_slots_append(struct live_slots *slots)
{
	uint32_t slot = slots->next++;

	slots->bits[slot / 64] |= 1ull << slot % 64;
	live_slots_add(slots, slot, 1);
	return slot;
}

static inline void live_slots_remove(struct live_slots *slots, uint32_t slot)
{
	slots->bits[slot / 64] &= ~(1ull << slot % 64);
	live_slots_add(slots, slot, -1);
}

/* Without a branch that depends on the slot, since it would be mispredicted. */
static inline uint32_t live_newer_in_line(const uint64_t *bits, uint32_t slot)
{
	static const uint64_t masks[2 * LINE_WORDS - 1] = {
		[LINE_WORDS - 1] = ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull
	};
	const uint64_t *line = &bits[slot / 64 & ~(LINE_WORDS - 1u)];
	unsigned word = slot / 64 % LINE_WORDS;
	const uint64_t *above = &masks[LINE_WORDS - 1 - word]; /* above[i]: of word i + 1 */
	uint32_t newer = __builtin_popcountll(line[word] & ~1ull << slot % 64);

#pragma GCC unroll 8
	for (unsigned i = 1; i < LINE_WORDS; i++)
		newer += __builtin_popcountll(line[i] & above[i - 1]);
	return newer;
}

static inline uint32_t live_newer_in_fan(const uint32_t *counts, uint32_t group)
{
	const uint32_t *fan = &counts[group & ~(FAN_OUT - 1u)];
	uint32_t newer = 0;

	for (uint32_t i = 0; i < FAN_OUT; i++)
		newer += i > group % FAN_OUT ? fan[i] : 0;
	return newer;
}

/*
 * Returns how many live slots are newer than `slot`; climbs the tree as far as their distance
 * needs.
 */
static inline uint32_t live_slots_newer(const struct live_slots *slots, uint32_t slot)
{
	uint32_t group = slot >> LINE_SHIFT, newest = (slots->next - 1) >> LINE_SHIFT;
	uint32_t newer = live_newer_in_line(slots->bits, slot);

	for (unsigned level = 0; group != newest; level++) {
		newer += live_newer_in_fan(slots->counts[level], group);
		group >>= FAN_SHIFT;
		newest >>= FAN_SHIFT;
	}
	return newer;
}

/* Returns the new number of a live slot; see live_slots_renumber_begin. */
static inline uint32_t live_slots_rank(const struct live_slots *slots, uint32_t slot)
{
	uint32_t line_end = slots->counts[0][slot >> LINE_SHIFT];

	return line_end - 1 - live_newer_in_line(slots->bits, slot);
}

#endif
