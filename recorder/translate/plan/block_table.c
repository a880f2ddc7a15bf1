/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/block_table.h"

#include <stdlib.h>

#include "recorder/program/pc_hash.h"

enum { FIRST_SLOTS = 1 << 12 };

/* Where the block at pc is, or would be. */
static struct block_slot *slot(const struct block_table *t, uint64_t pc)
{
	for (uint64_t i = pc_hash(pc); ; i++) {
		struct block_slot *at = &t->slots[i & (t->n_slots - 1)];

		if (!at->block || at->pc == pc)
			return at;
	}
}

struct code_block *block_table_find(const struct block_table *t, uint64_t pc)
{
	return t->count ? slot(t, pc)->block : NULL;
}

/* It is never more than half full. */
static bool grow(struct block_table *t)
{
	struct block_table larger = { .count = t->count };

	larger.n_slots = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS;
	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < t->n_slots; i++)
		if (t->slots[i].block)
			*slot(&larger, t->slots[i].pc) = t->slots[i];
	free(t->slots);
	*t = larger;
	return true;
}

void block_table_add(struct block_table *t, struct code_block *b)
{
	struct block_slot *to;

	if (2 * t->count >= t->n_slots && !grow(t))
		return;
	to = slot(t, b->trace.pc);
	t->count += !to->block;
	*to = (struct block_slot){ b->trace.pc, b };
}

void block_table_clear(struct block_table *t)
{
	free(t->slots);
	*t = (struct block_table){ 0 };
}
