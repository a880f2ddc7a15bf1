/* SPDX-License-Identifier: MIT */
/*
 * A set of block numbers that counts its elements: bitmaps of 64 neighbors, hashed. The set has a
 * table of its own because it is hot: with a HASH_TABLE trace-footprint takes 3 % longer (median of
 * 20 interleaved runs).
 */
#ifndef MICA_BLOCK_SET_H
#define MICA_BLOCK_SET_H

#include <stddef.h>
#include <stdint.h>

struct block_set {
	uint64_t count;    /* elements */
	uint64_t last;     /* the element added last, plus 1; 0: none */
	size_t used, mask; /* entries; their number - 1 */
	struct block_entry {
		uint64_t group; /* element / 64 */
		uint64_t bits;  /* 0: a free entry */
	} * entries;
};

/* Initializes a set. Ends the process if memory is out. */
void block_set_init(struct block_set *set);
void block_set_free(struct block_set *set);
void block_set_clear(struct block_set *set);
void block_set_insert(struct block_set *set, uint64_t block);

/* Adds all elements of another set. */
void block_set_unite(struct block_set *set, const struct block_set *other);

/* Writes a set, and adds the elements of a set that was written. */
struct state_writer;
struct state_reader;
void block_set_save(const struct block_set *set, struct state_writer *writer);
void block_set_load(struct block_set *set, struct state_reader *reader);

static inline void block_set_add(struct block_set *set, uint64_t block)
{
	if (set->last != block + 1)
		block_set_insert(set, block);
}

/* Returns the block of 2^shift bytes after another one; block 0 follows the last one. */
static inline uint64_t next_block(uint64_t block, unsigned shift)
{
	return (block + 1) & (UINT64_MAX >> shift);
}

/* Adds the blocks of 2^shift bytes that `size` bytes at an address touch; none if it is 0. */
static inline void block_set_range(struct block_set *set, uint64_t address, uint64_t size,
				   unsigned shift)
{
	uint64_t block = address >> shift, last = (address + size - 1) >> shift;

	if (!size)
		return;
	while (block_set_add(set, block), block != last)
		block = next_block(block, shift);
}

#endif
