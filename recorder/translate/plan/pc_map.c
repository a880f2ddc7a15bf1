/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/pc_map.h"

#include "recorder/memory/pages.h"
#include "recorder/program/pc_hash.h"

enum { FIRST_SLOTS = 1 << 12 };

/* Where the value at pc is, or would be. */
static struct pc_map_slot *slot(const struct pc_map *m, uint64_t pc)
{
	for (uint64_t i = pc_hash(pc); ; i++) {
		struct pc_map_slot *at = &m->slots[i & (m->n_slots - 1)];

		if (!at->pc || at->pc == pc)
			return at;
	}
}

const uint64_t *pc_map_find(const struct pc_map *m, uint64_t pc)
{
	const struct pc_map_slot *at = m->count && pc ? slot(m, pc) : NULL;

	return at && at->pc ? &at->value : NULL;
}

static bool grow(struct pc_map *m, uint32_t n_slots)
{
	struct pc_map larger = { .count = m->count, .n_slots = n_slots };

	larger.slots = pages_new(n_slots * sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < m->n_slots; i++)
		if (m->slots[i].pc)
			*slot(&larger, m->slots[i].pc) = m->slots[i];
	pages_free(m->slots, m->n_slots * sizeof(*m->slots));
	*m = larger;
	return true;
}

/* It is never more than half full. */
bool pc_map_reserve(struct pc_map *m, uint32_t count)
{
	uint32_t n_slots = m->n_slots ? m->n_slots : FIRST_SLOTS;

	while (2 * (m->count + count) > n_slots)
		n_slots *= 2;
	return n_slots == m->n_slots || grow(m, n_slots);
}

void pc_map_set(struct pc_map *m, uint64_t pc, uint64_t value)
{
	struct pc_map_slot *to = slot(m, pc);

	m->count += !to->pc;
	*to = (struct pc_map_slot){ pc, value };
}

void pc_map_clear(struct pc_map *m)
{
	pages_free(m->slots, m->n_slots * sizeof(*m->slots));
	*m = (struct pc_map){ 0 };
}
