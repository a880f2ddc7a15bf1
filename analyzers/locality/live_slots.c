/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/live_slots.h"

#include <string.h>

#include "cli/common/checked.h"

enum {
	FIRST_CAPACITY = 1 << 10, /* many threads may need no more */
	USUAL_CAPACITY = 1 << 20, /* less is renumbered often, and gains nothing */
	ROOM = 4,                 /* slots a live one, at least, after renumbering */
};

/* Returns the number of groups of a level, rounded up so that the last fan is whole. */
static uint32_t n_groups(const struct live_slots *slots, unsigned level)
{
	uint32_t groups = slots->capacity >> (LINE_SHIFT + level * FAN_SHIFT);

	return (groups + FAN_OUT - 1) & ~(FAN_OUT - 1u);
}

static void *lines(size_t bytes)
{
	enum { CACHE_LINE = 64 };

	return checked(aligned_alloc(CACHE_LINE, bytes));
}

static void allocate(struct live_slots *slots, uint32_t capacity)
{
	slots->capacity = capacity;
	slots->bits = lines(capacity / 8);
	slots->n_levels = 0;
	do {
		slots->counts[slots->n_levels] = lines(n_groups(slots, slots->n_levels) *
						       sizeof(uint32_t));
	} while (n_groups(slots, slots->n_levels++) > FAN_OUT);
}

/* Fills the counters for the state in which the first n_live slots are live. */
static void fill(struct live_slots *slots)
{
	uint32_t n = slots->n_live;

	slots->next = n;
	memset(slots->bits, 0, slots->capacity / 8);
	memset(slots->bits, 0xff, n / 64 * sizeof(*slots->bits));
	slots->bits[n / 64] = (1ull << n % 64) - 1;
	for (unsigned level = 0; level < slots->n_levels; level++) {
		unsigned shift = LINE_SHIFT + level * FAN_SHIFT;

		memset(slots->counts[level], 0, n_groups(slots, level) * sizeof(uint32_t));
		for (uint32_t i = 0; i < n >> shift; i++)
			slots->counts[level][i] = 1u << shift;
		slots->counts[level][n >> shift] = n & ((1u << shift) - 1);
	}
}

void live_slots_init(struct live_slots *slots)
{
	*slots = (struct live_slots){ 0 };
	allocate(slots, FIRST_CAPACITY);
	fill(slots);
}

void live_slots_free(struct live_slots *slots)
{
	free(slots->bits);
	for (unsigned level = 0; level < slots->n_levels; level++)
		free(slots->counts[level]);
}

void live_slots_renumber_begin(struct live_slots *slots)
{
	uint32_t sum = 0;

	for (uint32_t line = 0; line < slots->capacity >> LINE_SHIFT; line++)
		slots->counts[0][line] = sum += slots->counts[0][line];
}

void live_slots_renumber_end(struct live_slots *slots)
{
	uint32_t capacity = slots->capacity;

	if (capacity < USUAL_CAPACITY)
		capacity *= 2;
	while (slots->n_live > capacity / ROOM && capacity < 1u << 31)
		capacity *= 2;
	if (capacity != slots->capacity) {
		live_slots_free(slots);
		allocate(slots, capacity);
	}
	if (slots->n_live == capacity)
		out_of_memory();
	fill(slots);
}
