/* SPDX-License-Identifier: MIT */
/*
 * Superblocks as analyses take them: plain instructions that execute one after the other, up to one
 * exit of a path of the trace. Results that follow only from a superblock need not be computed each
 * time that it executes.
 */
#ifndef MICA_SUPERBLOCK_H
#define MICA_SUPERBLOCK_H

#include <stddef.h>

#include "analyzers/mica/event.h"

/* A basic block of a superblock. */
struct mica_segment {
	const struct mica_insn *insns;
	uint32_t branch;      /* the conditional branch that ends it, or MICA_NO_BRANCH */
	uint16_t count;       /* instructions */
	uint16_t first_value; /* of its own among those of the superblock */
	bool taken;           /* the branch, if the superblock goes on behind it */
};

/* An access of a superblock's instruction. */
struct mica_access {
	uint32_t place;  /* of the instruction's pc */
	uint32_t size;   /* bytes */
	uint16_t value;  /* which of the values is its address */
	uint16_t insn;   /* of the superblock */
	uint8_t operand; /* 0, 1: reads, MICA_WRITE */
};

struct mica_superblock {
	uint32_t number;
	uint16_t n_segments;
	uint16_t n_values; /* of an execution */
	bool taken;        /* the branch that ends it */
	uint32_t n_insns, n_accesses;
	const struct mica_segment *segments;
	const struct mica_access *accesses; /* in order */
};

/* An execution of a superblock. */
struct mica_superblock_exec {
	const struct mica_superblock *superblock;
	const uint64_t *values; /* NULL: addresses are not known */
	uint64_t space;         /* to be added to addresses */
};

/* Returns how many of the superblock's accesses have addresses. */
static inline uint32_t mica_superblock_accesses(const struct mica_superblock_exec *exec)
{
	return exec->values ? exec->superblock->n_accesses : 0;
}

/* Returns true if the branch that ends a segment of the superblock is taken. */
static inline bool mica_segment_taken(const struct mica_superblock *superblock, unsigned segment)
{
	return segment + 1u < superblock->n_segments ? superblock->segments[segment].taken
						     : superblock->taken;
}

#endif
