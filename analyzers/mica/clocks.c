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
