/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/block_set.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"

enum { FIRST_ENTRIES = 1024 };

void block_set_init(struct block_set *set)
{
	*set = (struct block_set){ .mask = FIRST_ENTRIES - 1 };
	set->entries = checked_array(FIRST_ENTRIES, sizeof(*set->entries));
}

void block_set_free(struct block_set *set)
{
	free(set->entries);
}

void block_set_clear(struct block_set *set)
{
	if (set->used)
		memset(set->entries, 0, (set->mask + 1) * sizeof(*set->entries));
	set->count = set->last = set->used = 0;
}

static struct block_entry *find(const struct block_set *set, uint64_t group)
{
	size_t at = group * 0x9e3779b97f4a7c15 >> 20;

	for (;; at++) {
		struct block_entry *entry = &set->entries[at & set->mask];

		if (!entry->bits || entry->group == group)
			return entry;
	}
}

static void grow(struct block_set *set)
{
	struct block_entry *old = set->entries;
	size_t n_old = set->mask + 1;

	set->mask = 2 * n_old - 1;
	set->entries = checked_array(2 * n_old, sizeof(*set->entries));
	for (size_t i = 0; i < n_old; i++)
		if (old[i].bits)
			*find(set, old[i].group) = old[i];
	free(old);
}

/* Adds those of 64 neighbors whose bits are set. */
static void insert_bits(struct block_set *set, uint64_t group, uint64_t bits)
{
	struct block_entry *entry = find(set, group);
	uint64_t added = bits & ~entry->bits;

	if (!added)
		return;
	set->count += __builtin_popcountll(added);
	if (!entry->bits)
		set->used++;
	entry->group = group;
	entry->bits |= bits;
	if (set->used > set->mask / 2)
		grow(set);
}

void block_set_insert(struct block_set *set, uint64_t block)
{
	set->last = block + 1;
	insert_bits(set, block / 64, 1ull << block % 64);
}

void block_set_unite(struct block_set *set, const struct block_set *other)
{
	for (size_t i = 0; i <= other->mask; i++)
		if (other->entries[i].bits)
			insert_bits(set, other->entries[i].group, other->entries[i].bits);
}

static int compare_entries(const void *a, const void *b)
{
	const struct block_entry *x = a, *y = b;

	return x->group < y->group ? -1 : x->group > y->group;
}

/* Neighbors are written one after the other, as the distances between them are small. */
void block_set_save(const struct block_set *set, struct state_writer *writer)
{
	struct block_entry *entries = checked_array(set->used, sizeof(*entries));
	size_t n = 0;

	for (size_t i = 0; i <= set->mask; i++)
		if (set->entries[i].bits)
			entries[n++] = set->entries[i];
	qsort(entries, n, sizeof(*entries), compare_entries);
	analyzer_put(writer, n);
	for (size_t i = 0; i < n; i++) {
		analyzer_put(writer, entries[i].group - (i ? entries[i - 1].group : 0));
		analyzer_put(writer, entries[i].bits);
	}
	free(entries);
}

void block_set_load(struct block_set *set, struct state_reader *reader)
{
	uint64_t group = 0, n = analyzer_take_max(reader, analyzer_left(reader));

	while (n--) {
		group += analyzer_take(reader);
		insert_bits(set, group, analyzer_take(reader));
	}
}
