/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/kinds.h"

#include <string.h>

#include "analyzers/locality/lru_stack.h"
#include "cli/common/checked.h"

/* The lookups of a cache. */
struct cache_history {
	struct lru_stack stack;
	uint64_t lines; /* of the cache */
};

void cache_kinds_init(struct cache_kinds *k, const struct cache_hierarchy *hierarchy)
{
	*k = (struct cache_kinds){ .hierarchy = hierarchy };
	k->histories = checked_array(hierarchy->n_levels, sizeof(*k->histories));
	for (unsigned i = 0; i < hierarchy->n_levels; i++) {
		const struct cache_geometry *g = &hierarchy->levels[i].geometry;

		lru_stack_init(&k->histories[i].stack);
		k->histories[i].lines = g->size / g->line;
	}
}

void cache_kinds_free(struct cache_kinds *k)
{
	for (unsigned i = 0; k->histories && i < k->hierarchy->n_levels; i++)
		lru_stack_free(&k->histories[i].stack);
	free(k->histories);
}

static enum cache_miss kind_of(uint32_t distance, uint64_t lines)
{
	if (distance == LRU_COLD)
		return CACHE_COLD;
	return distance >= lines ? CACHE_CAPACITY : CACHE_CONFLICT;
}

enum cache_miss cache_kinds_take(struct cache_kinds *k, const struct cache_lookup *lookup,
				 enum cache_miss sharing)
{
	const struct cache_hierarchy *h = k->hierarchy;
	const struct cache_level *level = h->at[lookup->core][lookup->instructions][lookup->depth];
	struct cache_history *history = &k->histories[level - h->levels];
	uint64_t line = lookup->line >> level->shift;
	uint32_t distance = lru_stack_touch_one(&history->stack, line);
	enum cache_miss kind;

	if (lookup->hit)
		return N_CACHE_MISSES;
	kind = sharing != N_CACHE_MISSES ? sharing : kind_of(distance, history->lines);
	k->counts[lookup->instructions][lookup->depth].of[kind]++;
	return kind;
}

void cache_kinds_hit(struct cache_kinds *k, const struct cache_level *level, uint64_t line)
{
	struct cache_history *history = &k->histories[level - k->hierarchy->levels];

	lru_stack_touch_one(&history->stack, line >> level->shift);
}

void cache_kinds_clear(struct cache_kinds *k)
{
	memset(k->counts, 0, sizeof(k->counts));
}
