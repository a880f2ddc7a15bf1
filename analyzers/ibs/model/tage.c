/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/tage.h"

#include <string.h>

#include "cli/common/checked.h"

/* clang-format off */
enum {
	TAG_BITS = 8, WEAKLY_NOT_TAKEN = 1, TAKEN = 2, MOST = 3,
	TAGGED_TAKEN = 4, TAGGED_MOST = 7, MOST_USEFUL = 3,
	AGING = 1 << 18,	/* branches */
};
/* clang-format on */

static const uint32_t lengths[TAGE_TABLES] = { 5, 15, 44, 130 };

static struct tage_fold empty_fold(uint32_t bits, uint32_t length)
{
	return (struct tage_fold){ .bits = bits, .oldest = length % bits };
}

void tage_init(struct tage *t, uint32_t counter_bits, uint32_t tagged_bits)
{
	*t = (struct tage){ .counter_bits = counter_bits, .tagged_bits = tagged_bits };
	t->counters = checked_array((size_t)1 << counter_bits, 1);
	memset(t->counters, WEAKLY_NOT_TAKEN, (size_t)1 << counter_bits);
	for (unsigned i = 0; i < TAGE_TABLES; i++) {
		struct tage_table *table = &t->tables[i];

		table->entries = checked_array((size_t)1 << tagged_bits, sizeof(*table->entries));
		table->index = empty_fold(tagged_bits, lengths[i]);
		table->tags[0] = empty_fold(TAG_BITS, lengths[i]);
		table->tags[1] = empty_fold(TAG_BITS - 1, lengths[i]);
	}
}

void tage_free(struct tage *t)
{
	free(t->counters);
	for (unsigned i = 0; i < TAGE_TABLES; i++)
		free(t->tables[i].entries);
}

/* ---- histories --------------------------------------------------------------------------- */

/* Adds an outcome, and removes the oldest one. */
static inline void fold(struct tage_fold *f, uint32_t in, uint32_t out)
{
	uint32_t folded = (f->folded << 1 | in) ^ out << f->oldest;

	f->folded = (folded ^ folded >> f->bits) & ((1u << f->bits) - 1);
}

static void add_outcome(struct tage *t, bool taken)
{
	t->newest = (t->newest + 1) % TAGE_HISTORY;
	t->outcomes[t->newest] = taken;
	for (unsigned i = 0; i < TAGE_TABLES; i++) {
		struct tage_table *table = &t->tables[i];
		uint32_t out = t->outcomes[(t->newest - lengths[i]) % TAGE_HISTORY];

		fold(&table->index, taken, out);
		fold(&table->tags[0], taken, out);
		fold(&table->tags[1], taken, out);
	}
}

/* ---- predictions ------------------------------------------------------------------------- */

/* A branch's place in each table, and the two tables of the longest histories that have it. */
struct lookup {
	uint8_t *counter;
	struct tage_entry *entries[TAGE_TABLES];
	uint8_t tags[TAGE_TABLES];
	int best, next; /* tables; -1: the counter */
};

static void look_up(struct tage *t, uint64_t pc, struct lookup *found)
{
	found->counter = &t->counters[(pc ^ pc >> t->counter_bits) & ((1u << t->counter_bits) - 1)];
	found->best = found->next = -1;
	for (int i = 0; i < TAGE_TABLES; i++) {
		struct tage_table *table = &t->tables[i];
		uint64_t hash = pc ^ pc >> (t->tagged_bits - i % 4) ^ table->index.folded;

		found->entries[i] = &table->entries[hash & ((1u << t->tagged_bits) - 1)];
		found->tags[i] = pc ^ table->tags[0].folded ^ table->tags[1].folded << 1;
		if (found->entries[i]->tag == found->tags[i]) {
			found->next = found->best;
			found->best = i;
		}
	}
}

static bool prediction(const struct lookup *found, int table)
{
	if (table < 0)
		return *found->counter >= TAKEN;
	return found->entries[table]->counter >= TAGGED_TAKEN;
}

static uint8_t moved(uint8_t counter, bool up, uint8_t most)
{
	if (up)
		return counter < most ? counter + 1 : most;
	return counter ? counter - 1 : 0;
}

/* Allocates an entry for the branch in a table of a longer history than the one that was wrong. */
static void allocate(struct lookup *found, bool taken)
{
	for (int i = found->best + 1; i < TAGE_TABLES; i++)
		if (!found->entries[i]->useful) {
			*found->entries[i] = (struct tage_entry){
				found->tags[i],
				taken ? TAGGED_TAKEN : TAGGED_TAKEN - 1,
				0,
			};
			return;
		}
	for (int i = found->best + 1; i < TAGE_TABLES; i++)
		found->entries[i]->useful--;
}

/* Ages the usefulness of entries. */
static void age(struct tage *t)
{
	if (++t->branches < AGING)
		return;
	t->branches = 0;
	for (unsigned i = 0; i < TAGE_TABLES; i++)
		for (size_t k = 0; k < (size_t)1 << t->tagged_bits; k++)
			t->tables[i].entries[k].useful /= 2;
}

static void learn(struct lookup *found, bool taken)
{
	bool predicted = prediction(found, found->best);

	if (found->best < 0) {
		*found->counter = moved(*found->counter, taken, MOST);
	} else {
		struct tage_entry *entry = found->entries[found->best];

		if (predicted != prediction(found, found->next))
			entry->useful = moved(entry->useful, predicted == taken, MOST_USEFUL);
		entry->counter = moved(entry->counter, taken, TAGGED_MOST);
	}
	if (predicted != taken)
		allocate(found, taken);
}

bool tage_step(struct tage *t, uint64_t pc, bool taken)
{
	struct lookup found;

	look_up(t, pc, &found);
	bool predicted = prediction(&found, found.best);

	learn(&found, taken);
	add_outcome(t, taken);
	age(t);
	return predicted == taken;
}
