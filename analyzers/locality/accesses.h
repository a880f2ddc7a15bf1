/* SPDX-License-Identifier: MIT */
/* The memory accesses of a trace, one by one in program order. */
#ifndef LOCALITY_ACCESSES_H
#define LOCALITY_ACCESSES_H

#include <stdbool.h>

#include "analyzers/locality/access_steps.h"

/*
 * An access. An operand that is read and written makes two, a read and a write; each repetition of
 * a rep instruction and each active lane is an access; the fetch of an instruction is one.
 * Prefetches are not accesses.
 */
struct access {
	uint64_t address; /* virtual; of process i, with i added at bit 48 */
	uint32_t size;    /* bytes */
	uint8_t kind;     /* enum access_kind */
};

/* The memory blocks that an access touches, from the lowest on. */
struct access_blocks {
	uint64_t block; /* the current one: its address without the lowest bits */
	uint64_t more;  /* blocks behind it */
	uint64_t last;  /* the highest block that there is */
};

/*
 * Begins with the first block; there is always one. shift: log2 of the bytes of a block, below 64.
 */
static inline struct access_blocks access_blocks(const struct access *access, unsigned shift)
{
	uint64_t size = access->size ? access->size : 1;
	uint64_t offset = access->address & ((UINT64_C(1) << shift) - 1);

	return (struct access_blocks){ access->address >> shift, (offset + size - 1) >> shift,
				       UINT64_MAX >> shift };
}

/* Goes on to the next block; returns false if there is none. */
static inline bool access_blocks_next(struct access_blocks *blocks)
{
	blocks->block = (blocks->block + 1) & blocks->last;
	return blocks->more && blocks->more--;
}

/* Collects accesses and hands them on in batches. */
struct access_collector {
	const struct access_code *code;
	unsigned kinds;
	void (*consume)(void *opaque, const struct access *accesses, size_t count);
	void *opaque;
	size_t count;
	struct access accesses[1024];
	uint16_t insns[1024]; /* by access: its instruction's index in the block */
};

/* Collects the accesses of an item of blocks, which have addresses if data accesses are wanted. */
void access_collect(struct access_collector *collector, const struct tf_item *item);

/* Does the same for one execution; space: the result of address_space for its thread. */
void access_collect_block(struct access_collector *collector, const struct tf_block_exec *exec,
			  uint64_t space);

/* Hands on the remaining accesses. */
void access_flush(struct access_collector *collector);

#endif
