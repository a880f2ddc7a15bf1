/* SPDX-License-Identifier: MIT */
/*
 * LRU stack distances (R. L. Mattson et al., "Evaluation techniques for storage hierarchies", IBM
 * Systems Journal 9 (2), 1970): how many distinct other blocks were touched since a block was
 * touched last. A fully associative LRU cache of C blocks hits if that is less than C.
 *
 * The newest blocks are in a list; all others have slots, the newer the higher, which live_slots
 * counts. Memory: 6 to 8 bytes a distinct block if its neighbors are touched as well; an isolated
 * block takes 110.
 */
#ifndef LOCALITY_LRU_STACK_H
#define LOCALITY_LRU_STACK_H

#include "analyzers/locality/live_slots.h"
#include "analyzers/locality/recent.h"
#include "traceformat/common/hash_table.h"

enum { LRU_LEAF_SHIFT = 4, LRU_LEAF_BLOCKS = 1 << LRU_LEAF_SHIFT };

#define LRU_COLD UINT32_MAX /* the distance of a block that was never touched */

struct lru_leaf {
	uint64_t key; /* of its blocks: block >> LRU_LEAF_SHIFT */
};

struct lru_stack {
	struct recent recent;
	uint32_t refs[LRU_RECENT]; /* of its blocks: theirs in the table */

	/* The table: a u32 for each block; those of LRU_LEAF_BLOCKS neighbors are side by side. */
	HASH_TABLE(struct lru_leaf) leaves;
	ARRAY(uint32_t) slots; /* leaf by leaf */
	struct live_slots live;
};

/* Initializes a stack. Ends the process if memory is out. */
void lru_stack_init(struct lru_stack *stack);
void lru_stack_free(struct lru_stack *stack);

/*
 * Touches `count` blocks, one after the other; distances receives their distances. refs, unless it
 * is NULL, receives each block's permanent number; all are below lru_stack_refs.
 */
void lru_stack_touch(struct lru_stack *stack, const uint64_t *blocks, size_t count,
		     uint32_t *distances, uint32_t *refs);

/* Touches one block, and returns its distance: faster than a batch of one. */
static inline uint32_t lru_stack_touch_one(struct lru_stack *stack, uint64_t block)
{
	unsigned at = 0;
	uint32_t result, ref;

	while (at < stack->recent.count && stack->recent.blocks[at] != block)
		at++;
	if (at == stack->recent.count) {
		lru_stack_touch(stack, &block, 1, &result, NULL);
		return result;
	}
	ref = stack->refs[at];
	for (unsigned i = at; i; i--) {
		stack->recent.blocks[i] = stack->recent.blocks[i - 1];
		stack->refs[i] = stack->refs[i - 1];
	}
	stack->recent.blocks[0] = block;
	stack->refs[0] = ref;
	return at;
}

static inline size_t lru_stack_refs(const struct lru_stack *stack)
{
	return stack->leaves.count << LRU_LEAF_SHIFT;
}

/* Returns how many distinct blocks were touched. */
uint64_t lru_stack_size(const struct lru_stack *stack);

/* Writes all blocks, lru_stack_size of them, to `blocks`, the one touched longest ago first. */
void lru_stack_list(const struct lru_stack *stack, uint64_t *blocks);

#endif
