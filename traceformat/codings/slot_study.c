/* SPDX-License-Identifier: MIT */
/*
 * Chooses the slots that predict others. Each slot of some records is compared with the slots
 * shortly before it. A source is rated by the bits that the differences from it would take; a
 * difference that equals the one before takes none.
 */
#include "traceformat/codings/slot_sources.h"

enum {
	SLOTS = 4096, /* that are looked at */
	BUCKETS = 4 * SLOTS,
	WINDOW = 16, /* slots before a slot that may be its source */
	CANDIDATES = 16,
	LEAST_SEEN = 16, /* executions from which a slot is judged */
	LEAST_GAIN = 16, /* one in so many bits must be saved */
	MISS_BITS = 4,   /* what a difference costs at least */
	FIRST_SEEN = 4,  /* executions at which candidates are taken; then one in: */
	SELDOM = 8,
};

struct candidate {
	uint32_t slot; /* an index in the study's slots */
	uint32_t bits;
	uint64_t stride;
};

struct studied {
	uint32_t number;
	uint32_t seen, bits;
	uint32_t n_candidates;
	uint64_t last, stride;
	struct candidate candidates[CANDIDATES];
};

struct slot_study {
	unsigned n_seen;
	uint32_t n_slots;
	struct studied slots[SLOTS];
	uint16_t buckets[BUCKETS]; /* an index + 1; 0: free */
	uint32_t window[WINDOW], n_window;
	struct slot_source found[SLOTS];
};

struct slot_study *slot_study_new(void)
{
	return calloc(1, sizeof(struct slot_study));
}

void slot_study_free(struct slot_study *study)
{
	free(study);
}

void slot_study_begin(struct slot_study *study)
{
	study->n_seen = study->n_slots = study->n_window = 0;
	memset(study->buckets, 0, sizeof(study->buckets));
}

unsigned slot_study_slots(const struct slot_study *study)
{
	return study->n_seen;
}

/* Returns the index of a slot, or TF_NONE if there are too many. */
static uint32_t find(struct slot_study *study, uint32_t number)
{
	uint32_t i = number * 0x9e3779b1u >> 18;

	for (;; i++) {
		uint16_t *bucket = &study->buckets[i % BUCKETS];

		if (*bucket && study->slots[*bucket - 1].number == number)
			return *bucket - 1u;
		if (*bucket)
			continue;
		if (study->n_slots == SLOTS)
			return TF_NONE;
		study->slots[study->n_slots] = (struct studied){ .number = number };
		*bucket = (uint16_t)++study->n_slots;
		return *bucket - 1u;
	}
}

static bool has_candidate(const struct studied *s, uint32_t slot)
{
	for (uint32_t i = 0; i < s->n_candidates; i++)
		if (s->candidates[i].slot == slot)
			return true;
	return false;
}

/* Returns the bits that the difference of a slot from its source takes. */
static uint32_t bits_of(uint64_t difference, uint64_t stride)
{
	uint64_t v = zigzag((int64_t)difference);

	return difference == stride ? 0 : MISS_BITS + 64 - (uint32_t)__builtin_clzll(v | 1);
}

/* Takes candidates from the window, except the slot itself and later ones of its record. */
static void take_candidates(struct slot_study *study, uint32_t index, uint64_t value, uint32_t end)
{
	struct studied *s = &study->slots[index];
	uint32_t n = study->n_window < WINDOW ? study->n_window : WINDOW;

	for (uint32_t i = 1; i <= n && s->n_candidates < CANDIDATES; i++) {
		uint32_t slot = study->window[(study->n_window - i) % WINDOW];
		const struct studied *c = &study->slots[slot];

		if ((c->number >= s->number && c->number < end) || has_candidate(s, slot))
			continue;
		s->candidates[s->n_candidates++] = (struct candidate){
			.slot = slot,
			.stride = value - c->last,
			.bits = s->bits,
		};
	}
}

static void study_slot(struct slot_study *study, uint32_t index, uint64_t value, uint32_t end)
{
	struct studied *s = &study->slots[index];
	uint64_t stride = value - s->last;

	for (uint32_t i = 0; i < s->n_candidates; i++) {
		struct candidate *c = &s->candidates[i];
		uint64_t difference = value - study->slots[c->slot].last;

		c->bits += bits_of(difference, c->stride);
		c->stride = difference;
	}
	if (s->n_candidates < CANDIDATES && (s->seen < FIRST_SEEN || s->seen % SELDOM == 0))
		take_candidates(study, index, value, end);
	s->seen++;
	s->bits += bits_of(stride, s->stride);
	s->stride = stride;
	s->last = value;
	study->window[study->n_window++ % WINDOW] = index;
}

void slot_study_record(struct slot_study *study, const struct slot_record *r)
{
	study->n_seen += r->count;
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t index = find(study, r->base + i);

		if (index != TF_NONE)
			study_slot(study, index, r->slots[i], r->base + r->path_slots);
	}
}

static int by_slot(const void *a, const void *b)
{
	uint32_t x = ((const struct slot_source *)a)->slot;
	uint32_t y = ((const struct slot_source *)b)->slot;

	return x < y ? -1 : x > y;
}

struct slot_sources slot_study_end(struct slot_study *study)
{
	struct slot_sources found = { .at = study->found };

	for (uint32_t i = 0; i < study->n_slots; i++) {
		const struct studied *s = &study->slots[i];
		uint32_t best = s->bits - s->bits / LEAST_GAIN, source = TF_NONE;

		for (uint32_t k = 0; k < s->n_candidates && s->seen >= LEAST_SEEN; k++)
			if (s->candidates[k].bits < best) {
				best = s->candidates[k].bits;
				source = s->candidates[k].slot;
			}
		if (source != TF_NONE)
			found.at[found.count++] = (struct slot_source){
				s->number, study->slots[source].number
			};
	}
	qsort(found.at, found.count, sizeof(*found.at), by_slot);
	return found;
}
