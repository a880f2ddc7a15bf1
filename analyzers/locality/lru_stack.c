/* SPDX-License-Identifier: MIT */
/*
 * Touches blocks in batches, in three steps, so that memory is requested long before it is needed:
 * the list of recent blocks gives the touches that miss it; these are looked up in the table; their
 * distances are counted.
 */
#include "analyzers/locality/lru_stack.h"

#include <string.h>

#include "cli/common/checked.h"

/* A block's slot in the table is one of live_slots', plus FIRST_SLOT, or one of these. */
enum { NEVER = 0, RECENT = 1, FIRST_SLOT = 2 };

enum { AHEAD = 8 };

void lru_stack_init(struct lru_stack *stack)
{
	*stack = (struct lru_stack){ 0 };
	live_slots_init(&stack->live);
}

void lru_stack_free(struct lru_stack *stack)
{
	TABLE_FREE(stack->leaves);
	free(stack->slots.at);
	live_slots_free(&stack->live);
}

uint64_t lru_stack_size(const struct lru_stack *stack)
{
	return (uint64_t)stack->recent.count + stack->live.n_live;
}

static void add_leaf(struct lru_stack *stack)
{
	enum { MOST_LEAVES = 1 << (32 - LRU_LEAF_SHIFT) };

	if (stack->leaves.count > MOST_LEAVES)
		out_of_memory();
	CHECKED_RESERVE(stack->slots, lru_stack_refs(stack));
}

static inline void prefetch_leaf(const struct lru_stack *stack, uint64_t block)
{
	uint64_t key = block >> LRU_LEAF_SHIFT;

	hash_index_prefetch(&stack->leaves.any.index, hash_table_hash(&key, sizeof(key)));
}

/* Returns the permanent index of a block's slot. */
static inline uint32_t find_ref(struct lru_stack *stack, uint64_t block)
{
	size_t n_known = stack->leaves.count;
	const struct lru_leaf *leaf = checked(TABLE_PUT(stack->leaves, block >> LRU_LEAF_SHIFT));
	uint32_t number = (uint32_t)(leaf - stack->leaves.at);

	if (stack->leaves.count > n_known)
		add_leaf(stack);
	return number << LRU_LEAF_SHIFT | (block & (LRU_LEAF_BLOCKS - 1));
}

static void look_up(struct lru_stack *stack, struct misses *misses)
{
	for (unsigned k = 0; k < misses->count; k++) {
		if (k + AHEAD < misses->count)
			prefetch_leaf(stack, misses->blocks[k + AHEAD]);
		uint32_t ref = find_ref(stack, misses->blocks[k]);

		__builtin_prefetch(&stack->slots.at[ref]);
		misses->refs[LRU_RECENT + k] = ref;
	}
}

static void renumber(struct lru_stack *stack)
{
	uint32_t *slots = stack->slots.at;
	size_t count = lru_stack_refs(stack);

	live_slots_renumber_begin(&stack->live);
	for (size_t i = 0; i < count; i++) {
		if (i + LRU_LEAF_BLOCKS < count && slots[i + LRU_LEAF_BLOCKS] >= FIRST_SLOT)
			live_slots_prefetch(&stack->live, slots[i + LRU_LEAF_BLOCKS] - FIRST_SLOT);
		if (slots[i] >= FIRST_SLOT)
			slots[i] = live_slots_rank(&stack->live, slots[i] - FIRST_SLOT) +
				   FIRST_SLOT;
	}
	live_slots_renumber_end(&stack->live);
}

/* Gives an entry that left the list a slot; the entry is now newer than all others in slots. */
static inline void give_slot(struct lru_stack *stack, uint32_t ref)
{
	if (stack->live.next == stack->live.capacity)
		renumber(stack);
	stack->slots.at[ref] = live_slots_append(&stack->live) + FIRST_SLOT;
}

static inline uint32_t take_slot(struct lru_stack *stack, uint32_t *slot)
{
	uint32_t distance = LRU_COLD;

	if (*slot != NEVER) {
		distance = LRU_RECENT + live_slots_newer(&stack->live, *slot - FIRST_SLOT);
		live_slots_remove(&stack->live, *slot - FIRST_SLOT);
	}
	*slot = RECENT;
	return distance;
}

__attribute__((target_clones("avx2", "default"))) static void count_distances(
	struct lru_stack *stack, const struct misses *misses, uint32_t *distances)
{
	uint32_t *slots = stack->slots.at;

	for (unsigned k = 0; k < misses->count; k++) {
		if (k + AHEAD < misses->count) {
			uint32_t slot = slots[misses->refs[LRU_RECENT + k + AHEAD]];

			if (slot >= FIRST_SLOT)
				live_slots_prefetch(&stack->live, slot - FIRST_SLOT);
		}
		distances[misses->touches[k]] = take_slot(stack,
							  &slots[misses->refs[LRU_RECENT + k]]);
		if (misses->victims[k] >= 0)
			give_slot(stack, misses->refs[misses->victims[k]]);
	}
}

static void touch_batch(struct lru_stack *stack, const uint64_t *blocks, unsigned count,
			uint32_t *distances, uint32_t *refs)
{
	struct misses misses;
	int16_t places[LRU_RECENT];

	recent_touch(&stack->recent, blocks, count, distances, places, &misses);
	memcpy(misses.refs, stack->refs, sizeof(stack->refs));
	look_up(stack, &misses);
	count_distances(stack, &misses, distances);
	for (unsigned i = 0; i < stack->recent.count; i++)
		stack->refs[i] = misses.refs[places[i]];
	for (unsigned i = 0; refs && i < count; i++)
		refs[i] = misses.refs[misses.places[i]];
}

void lru_stack_touch(struct lru_stack *stack, const uint64_t *blocks, size_t count,
		     uint32_t *distances, uint32_t *refs)
{
	for (size_t i = 0; i < count; i += LRU_BATCH)
		touch_batch(stack, blocks + i, count - i < LRU_BATCH ? count - i : LRU_BATCH,
			    distances + i, refs ? refs + i : NULL);
}

void lru_stack_list(const struct lru_stack *stack, uint64_t *blocks)
{
	uint32_t n_slotted = stack->live.n_live;

	for (size_t i = 0; i < stack->leaves.count; i++) {
		const struct lru_leaf *leaf = &stack->leaves.at[i];
		const uint32_t *slots = stack->slots.at + (i << LRU_LEAF_SHIFT);

		for (unsigned j = 0; j < LRU_LEAF_BLOCKS; j++) {
			if (slots[j] < FIRST_SLOT)
				continue;
			uint32_t newer = live_slots_newer(&stack->live, slots[j] - FIRST_SLOT);

			blocks[n_slotted - 1 - newer] = leaf->key << LRU_LEAF_SHIFT | j;
		}
	}
	for (unsigned i = 0; i < stack->recent.count; i++)
		blocks[n_slotted + i] = stack->recent.blocks[stack->recent.count - 1 - i];
}
