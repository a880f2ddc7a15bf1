/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/slot_table.h"

#include <string.h>

#include "cli/common/checked.h"

enum { FIRST_ENTRIES = 32, FIRST_LEAVES = 8, MAX_LEAVES = 1 << (32 - LEAF_SHIFT) };

void slot_table_init(struct slot_table *table)
{
	*table = (struct slot_table){ .room = FIRST_LEAVES, .mask = FIRST_ENTRIES - 1 };
	table->slots = checked_array(FIRST_LEAVES * LEAF_BLOCKS, sizeof(*table->slots));
	table->entries = checked_array(FIRST_ENTRIES, sizeof(*table->entries));
}

void slot_table_free(struct slot_table *table)
{
	free(table->slots);
	free(table->entries);
}

static void insert(struct slot_table *table, struct slot_leaf entry)
{
	size_t at = slot_table_entry(table, entry.key);

	while (table->entries[at & table->mask].leaf)
		at++;
	table->entries[at & table->mask] = entry;
}

static void grow_entries(struct slot_table *table)
{
	struct slot_leaf *old = table->entries;
	size_t n_old = table->mask + 1;

	table->mask = 2 * n_old - 1;
	table->entries = checked_array(2 * n_old, sizeof(*table->entries));
	for (size_t i = 0; i < n_old; i++)
		if (old[i].leaf)
			insert(table, old[i]);
	free(old);
}

static void grow_leaves(struct slot_table *table)
{
	if (table->room == MAX_LEAVES)
		out_of_memory();
	table->room *= 2;
	table->slots = checked(
		reallocarray(table->slots, table->room, LEAF_BLOCKS * sizeof(*table->slots)));
}

uint32_t slot_table_add(struct slot_table *table, uint64_t key)
{
	uint32_t leaf = table->n_leaves++;

	if (leaf == table->room)
		grow_leaves(table);
	if (leaf > table->mask / 4 * 3)
		grow_entries(table);
	memset(&table->slots[(size_t)leaf << LEAF_SHIFT], 0, LEAF_BLOCKS * sizeof(*table->slots));
	insert(table, (struct slot_leaf){ key, leaf + 1 });
	return leaf;
}
