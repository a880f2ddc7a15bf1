/* SPDX-License-Identifier: MIT */
/*
 * A table with a u32, here called slot, for each memory block. The slots of neighbouring blocks are
 * side by side in a leaf, a cache line; a hash table finds leaves.
 */
#ifndef LOCALITY_SLOT_TABLE_H
#define LOCALITY_SLOT_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum { LEAF_SHIFT = 4, LEAF_BLOCKS = 1 << LEAF_SHIFT };

struct slot_table {
	uint32_t *slots; /* leaf by leaf */
	uint32_t n_leaves, room;
	size_t mask; /* entries - 1 */
	struct slot_leaf {
		uint64_t key;  /* of its blocks: block >> LEAF_SHIFT */
		uint32_t leaf; /* number + 1; 0: a free entry */
	} * entries;
};

/* Initializes a table. Ends the process if memory is out. */
void slot_table_init(struct slot_table *table);
void slot_table_free(struct slot_table *table);

/* Adds a leaf, for slot_table_find. */
uint32_t slot_table_add(struct slot_table *table, uint64_t key);

/* Returns the entry where the search for a leaf begins. */
static inline size_t slot_table_entry(const struct slot_table *table, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15 >> 20) & table->mask;
}

static inline void slot_table_prefetch(const struct slot_table *table, uint64_t block)
{
	__builtin_prefetch(&table->entries[slot_table_entry(table, block >> LEAF_SHIFT)]);
}

/* Returns the permanent index in table->slots of a block's slot, which is 0 at first. */
static inline uint32_t slot_table_find(struct slot_table *table, uint64_t block)
{
	uint64_t key = block >> LEAF_SHIFT;
	size_t at = slot_table_entry(table, key);
	const struct slot_leaf *entry = &table->entries[at];
	uint32_t leaf;

	while (entry->leaf && entry->key != key)
		entry = &table->entries[++at & table->mask];
	leaf = entry->leaf ? entry->leaf - 1 : slot_table_add(table, key);
	return leaf << LEAF_SHIFT | (block & (LEAF_BLOCKS - 1));
}

#endif
