/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/ids.h"

#include <stdlib.h>

#include "cli/common/checked.h"

void bbv_ids_begin(struct bbv_ids *ids, bool by_offset)
{
	*ids = (struct bbv_ids){ .by_offset = by_offset, .slot_mask = 1023 };
	ids->slots = checked(calloc((size_t)ids->slot_mask + 1, sizeof(*ids->slots)));
}

void bbv_ids_free(struct bbv_ids *ids)
{
	free(ids->starts);
	free(ids->slots);
	free(ids->sorted);
	free(ids->ranks);
}

/* The fields by which places are distinguished. */
struct key {
	uint32_t space;
	uint64_t value;
};

static struct key key_of(const struct bbv_ids *ids, const struct bbv_start *start)
{
	if (start->module == BBV_MEMORY)
		return (struct key){ BBV_MEMORY, start->pc };
	if (ids->by_offset && start->module != TF_NONE)
		return (struct key){ start->module, start->module_offset };
	return (struct key){ TF_NONE, start->pc };
}

/* Returns the slot that holds the id of a place, or the one where it belongs. */
static uint32_t *slot_of(const struct bbv_ids *ids, const struct bbv_start *start)
{
	struct key key = key_of(ids, start);
	uint64_t hash = (key.value ^ (uint64_t)key.space << 40) * 0x9e3779b97f4a7c15;
	uint32_t i = (uint32_t)(hash >> 32) & ids->slot_mask;

	for (; ids->slots[i]; i = (i + 1) & ids->slot_mask) {
		struct key there = key_of(ids, &ids->starts[ids->slots[i] - 1]);

		if (there.value == key.value && there.space == key.space)
			break;
	}
	return &ids->slots[i];
}

static void grow_slots(struct bbv_ids *ids)
{
	free(ids->slots);
	ids->slot_mask = 2 * ids->slot_mask + 1;
	ids->slots = checked(calloc((size_t)ids->slot_mask + 1, sizeof(*ids->slots)));
	for (uint32_t id = 1; id <= ids->count; id++)
		*slot_of(ids, &ids->starts[id - 1]) = id;
}

uint32_t bbv_id(struct bbv_ids *ids, struct bbv_start start)
{
	uint32_t *slot = slot_of(ids, &start);

	if (*slot) {
		if (ids->starts[*slot - 1].module == TF_NONE)
			ids->starts[*slot - 1] = start;
		return *slot;
	}
	MAKE_ROOM(ids->starts, ids->count, ids->room);
	ids->starts[ids->count++] = start;
	*slot = ids->count;
	if (ids->count > ids->slot_mask / 2)
		grow_slots(ids);
	return ids->count;
}

static int compare(const void *a, const void *b, void *opaque)
{
	const struct bbv_ids *ids = opaque;
	const struct bbv_start *x = &ids->starts[*(const uint32_t *)a - 1];
	const struct bbv_start *y = &ids->starts[*(const uint32_t *)b - 1];
	struct key k = key_of(ids, x), l = key_of(ids, y);

	if (k.space != l.space) { /* memory behind all else, code without a module before
					   it */
		if (k.space == BBV_MEMORY || l.space == BBV_MEMORY)
			return k.space == BBV_MEMORY ? 1 : -1;
		return k.space < l.space ? -1 : 1;
	}
	return k.value < l.value ? -1 : k.value > l.value;
}

void bbv_ids_sort(struct bbv_ids *ids)
{
	if (ids->n_sorted == ids->count)
		return;
	ids->sorted = checked(reallocarray(ids->sorted, ids->room, sizeof(*ids->sorted)));
	ids->ranks = checked(reallocarray(ids->ranks, ids->room, sizeof(*ids->ranks)));
	for (; ids->n_sorted < ids->count; ids->n_sorted++)
		ids->sorted[ids->n_sorted] = ids->n_sorted + 1;
	qsort_r(ids->sorted, ids->count, sizeof(*ids->sorted), compare, ids);
	for (uint32_t i = 0; i < ids->count; i++)
		ids->ranks[ids->sorted[i] - 1] = i;
}
