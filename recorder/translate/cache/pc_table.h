/* SPDX-License-Identifier: MIT */
/* What a cache knows of the program's addresses, an entry each: who asks for one thing mostly asks
 * for the others, too, and each look at other memory may miss the processor's caches. */
#ifndef PC_TABLE_H
#define PC_TABLE_H

#include "recorder/translate/emit/translation.h"

struct pc_entry {
	uint64_t pc;               /* 0: it is free */
	struct code_block *block;  /* see cache_block */
	struct translation *first; /* that begins there, the newest; its `next` are the others */
	uint32_t exits;            /* that lead there: the latest one's number + 1, or 0 */
	int16_t pending;           /* if it has any: see pending_count.h */
	bool has_pending;
};

/* Zeroed it is empty. */
struct pc_table {
	struct pc_entry *slots;
	uint32_t n_slots, count;
};

/* Returns what is known of pc, or NULL. Valid until the next pc_table_reserve. */
struct pc_entry *pc_table_find(const struct pc_table *table, uint64_t pc);

/* Makes room for so many more. False: there is no memory. */
bool pc_table_reserve(struct pc_table *table, uint32_t count);

/* Returns the entry of a pc that is not 0. There must be room, if it has none yet. */
struct pc_entry *pc_table_at(struct pc_table *table, uint64_t pc);

/* Makes it empty. */
void pc_table_clear(struct pc_table *table);

#endif
