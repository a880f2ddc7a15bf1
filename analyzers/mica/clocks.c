/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/clocks.h"

#include <stdlib.h>

#include "analyzers/mica/analysis.h"
#include "cli/common/checked.h"

enum { FIRST_ENTRIES = 512 };

static void allocate(struct clocks_table *table, size_t entries)
{
	table->mask = entries - 1;
	table->keys = checked_array(entries, sizeof(*table->keys));
	table->values = checked(aligned_alloc(sizeof(lanes), entries * sizeof(lanes)));
}

static void free_table(struct clocks_table *table)
{
	free(table->keys);
	free(table->values);
}

void clocks_init(struct clocks *clocks)
{
	*clocks = (struct clocks){ 0 };
	for (unsigned i = 0; i < 2; i++) {
		clocks->tables[i].epoch = 1;
		allocate(&clocks->tables[i], FIRST_ENTRIES);
	}
}

void clocks_free(struct clocks *clocks)
{
	free_table(&clocks->tables[0]);
	free_table(&clocks->tables[1]);
}

static void clear_table(struct clocks_table *table)
{
	table->epoch++;
	table->used = 0;
}

void clocks_clear(struct clocks *clocks)
{
	clear_table(&clocks->tables[0]);
	clear_table(&clocks->tables[1]);
}

void clocks_age(struct clocks *clocks)
{
	clocks->young = !clocks->young;
	clear_table(&clocks->tables[clocks->young]);
}

static void grow(struct clocks_table *table)
{
	struct clocks_table old = *table;

	allocate(table, 2 * (old.mask + 1));
	for (size_t i = 0; i <= old.mask; i++) {
		if (old.keys[i].epoch != old.epoch)
			continue;
		size_t at = clocks_entry(table, old.keys[i].block);

		table->keys[at] = old.keys[i];
		table->values[at] = old.values[i];
	}
	free_table(&old);
}

void clocks_set(struct clocks *clocks, uint64_t block, const lanes *value)
{
	struct clocks_table *table = &clocks->tables[clocks->young];
	size_t at = clocks_entry(table, block);

	if (table->keys[at].epoch != table->epoch) {
		if (table->used > table->mask / 2) {
			grow(table);
			at = clocks_entry(table, block);
		}
		table->used++;
		table->keys[at] = (struct clocks_key){ block, table->epoch };
	}
	table->values[at] = *value;
}

/* ---- lists ------------------------------------------------------------------------------- */

static bool is_later(const lanes *time, const lanes *now)
{
	for (unsigned i = 0; i < LANES; i++)
		if ((*time)[i] > (*now)[i])
			return true;
	return false;
}

/* Returns true if the table has the block. */
static bool has_block(const struct clocks_table *table, uint64_t block)
{
	return table->keys[clocks_entry(table, block)].epoch == table->epoch;
}

/* Appends a table's blocks, except for those that the newer table has, too. */
static void list_table(struct clocks_list *list, const struct clocks_table *table,
		       const struct clocks_table *newer, const lanes *now)
{
	for (size_t i = 0; i <= table->mask; i++)
		if (table->keys[i].epoch == table->epoch && is_later(&table->values[i], now) &&
		    !(newer && has_block(newer, table->keys[i].block)))
			list->at[list->count++] = (struct clocks_late){ table->keys[i].block,
									&table->values[i] };
}

static int compare_blocks(const void *a, const void *b)
{
	const struct clocks_late *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

struct clocks_list clocks_later(const struct clocks *clocks, const lanes *now)
{
	const struct clocks_table *young = &clocks->tables[clocks->young];
	const struct clocks_table *old = &clocks->tables[!clocks->young];
	struct clocks_list list = { 0 };

	list.at = checked_array(young->used + old->used, sizeof(*list.at));
	list_table(&list, young, NULL, now);
	list_table(&list, old, young, now);
	if (list.count)
		qsort(list.at, list.count, sizeof(*list.at), compare_blocks);
	return list;
}
