/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/attribution.h"

#include <string.h>

#include "cli/common/checked.h"

void cache_attribution_init(struct cache_attribution *a, const struct cache_by *by,
			    const struct cache_hierarchy *hierarchy)
{
	*a = (struct cache_attribution){ .by = by, .hierarchy = hierarchy };
}

void cache_attribution_free(struct cache_attribution *a)
{
	TABLE_FREE(a->groups);
}

void cache_attribution_add(struct cache_attribution *a, struct places *places,
			   const struct place *place, uint32_t path,
			   const struct cache_lookup *lookup, enum cache_miss miss)
{
	struct cache_group_key key;

	cache_by_get(a->by, places, place, path, key.values);
	struct cache_group *group = checked(TABLE_PUT(a->groups, key));

	group->misses[lookup->instructions][lookup->depth].of[miss]++;
}

static uint64_t sum_of(const struct cache_miss_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < N_CACHE_MISSES; i++)
		sum += counts->of[i];
	return sum;
}

/* Orders by misses, equal ones by the order of the groups' first misses. */
static int compare(const void *a, const void *b)
{
	const struct cache_group_row *x = a, *y = b;

	if (x->misses != y->misses)
		return x->misses > y->misses ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

struct cache_group_row *cache_attribution_rows(const struct cache_attribution *a, unsigned depth,
					       bool instructions, size_t *count, uint64_t *total)
{
	struct cache_group_row *rows = checked_array(a->groups.count, sizeof(*rows));

	*count = 0;
	*total = 0;
	for (uint32_t i = 0; i < a->groups.count; i++) {
		const struct cache_group *group = &a->groups.at[i];
		uint64_t misses = sum_of(&group->misses[instructions][depth]);

		*total += misses;
		if (misses)
			rows[(*count)++] = (struct cache_group_row){ group, i, misses };
	}
	qsort(rows, *count, sizeof(*rows), compare);
	return rows;
}
