/* SPDX-License-Identifier: MIT */
/* Blocks by pc, to be found again without reading the program's memory. */
#ifndef BLOCK_TABLE_H
#define BLOCK_TABLE_H

#include "recorder/program/code_block.h"

struct block_slot {
	uint64_t pc;	/* of the block, which need not be looked at then */
	struct code_block *block;
};

/* Zeroed it is empty. The blocks are not its own. */
struct block_table {
	struct block_slot *slots;
	uint32_t n_slots, count;
};

/* Returns the block at pc, or NULL. */
struct code_block *block_table_find(const struct block_table *table, uint64_t pc);

/* Adds a block, if there is memory. */
void block_table_add(struct block_table *table, struct code_block *block);

/* Makes it empty. */
void block_table_clear(struct block_table *table);

#endif
