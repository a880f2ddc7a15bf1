/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/pc_table.h"

#include "traceformat/common/pages.h"

enum { FIRST_SLOTS = 1 << 13, GROWTH = 2 };

/*
 * Returns a hash of a code address; tables use its lower bits. Neighboring addresses have
 * neighboring hashes: consecutive lookups are mostly near in the code, and so their entries are
 * near in the table. Only few addresses are that near, or tables of open addressing would have
 * clusters.
 */
static uint64_t pc_hash(uint64_t pc)
{
	enum { NEIGHBOURS = 1 << 5, LEAST_DISTANCE = 1 << 1 };
	uint64_t among_others = pc / NEIGHBOURS * 0x9e3779b97f4a7c15u >> 32;

	return among_others * (NEIGHBOURS / LEAST_DISTANCE) + pc % NEIGHBOURS / LEAST_DISTANCE;
}

/* Returns the slot that has the entry of pc, or would have it. */
static struct pc_entry *slot(const struct pc_table *p, uint64_t pc)
{
	for (uint64_t i = pc_hash(pc);; i++) {
		struct pc_entry *at = &p->slots[i & (p->n_slots - 1)];

		if (!at->pc || at->pc == pc)
			return at;
	}
}

struct pc_entry *pc_table_find(const struct pc_table *p, uint64_t pc)
{
	struct pc_entry *at = p->count && pc ? slot(p, pc) : NULL;

	return at && at->pc ? at : NULL;
}

void pc_table_fetch(const struct pc_table *p, uint64_t pc)
{
	if (p->n_slots)
		__builtin_prefetch(&p->slots[pc_hash(pc) & (p->n_slots - 1)]);
}

static bool grow(struct pc_table *p, uint32_t n_slots)
{
	struct pc_table larger = { .count = p->count, .n_slots = n_slots };

	larger.slots = pages_new(n_slots * sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < p->n_slots; i++)
		if (p->slots[i].pc)
			*slot(&larger, p->slots[i].pc) = p->slots[i];
	pages_free(p->slots, p->n_slots * sizeof(*p->slots));
	*p = larger;
	return true;
}

/*
 * Keeps the table at most five eighths full. Entries are everywhere in the table, so that all its
 * pages are used, and the kernel has to clear them: a table that is often too large costs more than
 * growing it again.
 */
bool pc_table_reserve(struct pc_table *p, uint32_t count)
{
	uint32_t n_slots = p->n_slots ? p->n_slots : FIRST_SLOTS;

	while (p->count + count > n_slots / 8 * 5)
		n_slots *= GROWTH;
	return n_slots == p->n_slots || grow(p, n_slots);
}

struct pc_entry *pc_table_at(struct pc_table *p, uint64_t pc)
{
	struct pc_entry *at = slot(p, pc);

	p->count += !at->pc;
	at->pc = pc;
	return at;
}

void pc_table_clear(struct pc_table *p)
{
	pages_free(p->slots, p->n_slots * sizeof(*p->slots));
	*p = (struct pc_table){ 0 };
}
