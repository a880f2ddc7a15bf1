/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/ids.h"

#include <stdlib.h>

#include "cli/common/checked.h"

void bbv_ids_free(struct bbv_ids *ids)
{
	TABLE_FREE(ids->places);
	free(ids->sorted.at);
	free(ids->ranks.at);
}

static struct bbv_place_key key_of(const struct bbv_ids *ids, const struct bbv_start *start)
{
	if (start->module == BBV_MEMORY)
		return (struct bbv_place_key){ BBV_MEMORY, start->pc };
	if (ids->by_offset && start->module != TF_NONE)
		return (struct bbv_place_key){ start->module, start->module_offset };
	return (struct bbv_place_key){ TF_NONE, start->pc };
}

uint32_t bbv_id(struct bbv_ids *ids, struct bbv_start start)
{
	size_t n_known = ids->places.count;
	struct bbv_place *place = checked(TABLE_PUT(ids->places, key_of(ids, &start)));

	if (ids->places.count > n_known || place->start.module == TF_NONE)
		place->start = start;
	return (uint32_t)(place - ids->places.at) + 1;
}

static int compare(const void *a, const void *b, void *opaque)
{
	const struct bbv_ids *ids = opaque;
	struct bbv_place_key k = ids->places.at[*(const uint32_t *)a - 1].key;
	struct bbv_place_key l = ids->places.at[*(const uint32_t *)b - 1].key;

	if (k.space == l.space)
		return k.value < l.value ? -1 : k.value > l.value;
	/* Memory is behind all code, code without a module right before it. */
	if (k.space == BBV_MEMORY || l.space == BBV_MEMORY)
		return k.space == BBV_MEMORY ? 1 : -1;
	return k.space < l.space ? -1 : 1;
}

void bbv_ids_sort(struct bbv_ids *ids)
{
	uint32_t n_sorted = (uint32_t)ids->sorted.count, count = (uint32_t)ids->places.count;

	if (n_sorted == count)
		return;
	CHECKED_RESERVE(ids->sorted, count);
	CHECKED_RESERVE(ids->ranks, count);
	ids->sorted.count = ids->ranks.count = count;
	while (n_sorted < count) {
		ids->sorted.at[n_sorted] = n_sorted + 1;
		n_sorted++;
	}
	qsort_r(ids->sorted.at, count, sizeof(*ids->sorted.at), compare, ids);
	for (uint32_t i = 0; i < count; i++)
		ids->ranks.at[ids->sorted.at[i] - 1] = i;
}
