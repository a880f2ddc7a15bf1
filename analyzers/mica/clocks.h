/* SPDX-License-Identifier: MIT */
/*
 * When memory blocks are ready, for four windows: hash tables from block numbers to clocks.
 *
 * Old entries are forgotten: there is a young and an old table, and from time to time the old one
 * is cleared and becomes the young one. Hence the tables stay as small as the windows.
 *
 * The tables are not HASH_TABLEs because they are hot, and because a HASH_TABLE is not cleared in
 * O(1): with two of these trace-ilp takes 6 to 10 % longer (medians of 21 and 15 interleaved runs).
 */
#ifndef MICA_CLOCKS_H
#define MICA_CLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* ---- vectors of four clocks, one for each of four windows ---- */

enum { LANES = 4 };

typedef int64_t lanes __attribute__((vector_size(8 * LANES)));

/*
 * Marks functions that are inlined into one variant for AVX2 and one for processors without it.
 * Only such functions may take or return lanes: other calls would differ between the variants.
 */
#pragma GCC diagnostic ignored "-Wpsabi"
#define LANES_INLINE static inline __attribute__((always_inline))

/* Returns the greater of two vectors, lane by lane. Values, not pointers, stay in registers. */
LANES_INLINE lanes lanes_greater(lanes a, lanes b)
{
	lanes more = a > b;

	return (a & more) | (b & ~more);
}

/* ---- the tables ---- */

struct clocks_table {
	uint64_t epoch;    /* entries of others are free */
	size_t used, mask; /* entries of the epoch; entries - 1 */
	struct clocks_key {
		uint64_t block, epoch;
	} * keys;
	lanes *values;
};

struct clocks {
	struct clocks_table tables[2];
	unsigned young;
};

/* Initializes the clocks. Ends the process if memory is out. */
void clocks_init(struct clocks *clocks);
void clocks_free(struct clocks *clocks);

/* Forgets all blocks. O(1). */
void clocks_clear(struct clocks *clocks);

/* Forgets blocks that were last set before the last call of this function. O(1). */
void clocks_age(struct clocks *clocks);

/* Sets a block's clocks. */
void clocks_set(struct clocks *clocks, uint64_t block, const lanes *value);

/* Blocks that are ready later than a time, in ascending order. */
struct clocks_list {
	size_t count;
	struct clocks_late {
		uint64_t block;
		const lanes *time; /* valid until the clocks change */
	} * at;
};

/* Lists the blocks that are ready later than `now` for any of the windows. Free list.at. */
struct clocks_list clocks_later(const struct clocks *clocks, const lanes *now);

static inline size_t clocks_hash(uint64_t block)
{
	return block * 0x9e3779b97f4a7c15 >> 24;
}

/* Returns the block's entry, or the free one where it belongs. */
static inline size_t clocks_entry(const struct clocks_table *table, uint64_t block)
{
	for (size_t at = clocks_hash(block);; at++) {
		const struct clocks_key *key = &table->keys[at & table->mask];

		if (key->epoch != table->epoch || key->block == block)
			return at & table->mask;
	}
}

/* Returns times, delayed to the block's clocks. */
LANES_INLINE lanes clocks_wait(const struct clocks *clocks, uint64_t block, lanes times)
{
	const struct clocks_table *table = &clocks->tables[clocks->young];
	size_t at = clocks_entry(table, block);

	if (table->keys[at].epoch != table->epoch) {
		table = &clocks->tables[!clocks->young];
		at = clocks_entry(table, block);
		if (table->keys[at].epoch != table->epoch)
			return times;
	}
	return lanes_greater(times, table->values[at]);
}

#endif
