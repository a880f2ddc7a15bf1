/* SPDX-License-Identifier: MIT */
/*
 * Keeps one entry for each program address that a cache knows. A caller that needs one member
 * mostly needs the others too, and each access to other memory may miss the processor's caches.
 *
 * The table is not a HASH_TABLE of traceformat/common because each translation adds several
 * entries: adding 100,000 addresses takes half as long here (90 ns and 170 ns an address, measured
 * side by side on a loaded machine). pc_hash() keeps entries of neighboring code together.
 */
#ifndef PC_TABLE_H
#define PC_TABLE_H

#include "recorder/translate/emit/translation.h"

struct pc_entry {
	uint64_t pc;              /* 0: the entry is free */
	struct code_block *block; /* see cache_block() */
	/* newest translation that begins at pc; `next` links the others */
	struct translation *first;
	uint32_t exits;  /* number + 1 of the latest exit to pc, or 0 */
	int16_t pending; /* pending count, valid if has_pending (pending_count.h) */
	bool has_pending;
};

/* A zeroed table is empty. */
struct pc_table {
	struct pc_entry *slots;
	uint32_t n_slots, count;
};

/* Returns the entry of pc, or NULL. The entry is valid until the next pc_table_reserve(). */
struct pc_entry *pc_table_find(const struct pc_table *table, uint64_t pc);

/* Fetches the entry of pc, which is looked for soon, into the processor's cache. */
void pc_table_fetch(const struct pc_table *table, uint64_t pc);

/* Makes room for `count` more entries. Returns false if there is no memory. */
bool pc_table_reserve(struct pc_table *table, uint32_t count);

/* Returns the entry of pc, which must not be 0. A new entry requires reserved room. */
struct pc_entry *pc_table_at(struct pc_table *table, uint64_t pc);

/* Makes the table empty. */
void pc_table_clear(struct pc_table *table);

#endif
