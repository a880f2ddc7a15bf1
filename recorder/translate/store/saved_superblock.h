/* SPDX-License-Identifier: MIT */
/*
 * A superblock as the persistent code cache keeps it: where its blocks begin, by module and offset.
 * A saved tree is a superblock and those that extend it (superblocks.h). As bytes, it is
 *
 *	count - 1, then for each superblock, parents first:
 *	parent, exit             except for the first, which has none
 *	entered, generation
 *	count of blocks - 1, then for each block:
 *		same module: zigzag(distance from the block before) * 2
 *		else:        module * 2 + 1, offset
 *
 * in varints. An extension begins with its parent's blocks, which it does not repeat: its count is
 * that of its own blocks.
 */
#ifndef SAVED_SUPERBLOCK_H
#define SAVED_SUPERBLOCK_H

#include "traceformat/common/bytes.h"

enum {
	SAVED_BLOCKS = 128, /* most blocks of a superblock */
	SAVED_EXITS = 129,
	SAVED_TREE = 64,         /* most superblocks of a tree */
	SAVED_MODULES = 1 << 12, /* most modules of a program */
	SAVED_OFFSET_BITS = 48,
};

struct saved_block {
	uint32_t module;
	uint64_t offset; /* its ELF address, below 1 << SAVED_OFFSET_BITS */
};

struct saved_superblock {
	unsigned parent, exit; /* which it extends; unused for the first of a tree */
	bool entered;          /* indirect jumps have entered it */
	unsigned generation;   /* as in struct translation */
	unsigned n_blocks;     /* own ones, 1 to SAVED_BLOCKS */
	struct saved_block blocks[SAVED_BLOCKS];
};

void saved_superblock_put(struct buffer *buffer, const struct saved_superblock *superblock,
			  bool first);

/*
 * Takes the superblock that is number `number` of its tree. Every value is within its limits, and
 * modules are below n_modules; otherwise span->bad is set.
 */
void saved_superblock_take(struct span *span, unsigned number, uint32_t n_modules,
			   struct saved_superblock *superblock);

#endif
