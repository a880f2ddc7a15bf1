/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/translation.h"

#include "cli/common/checked.h"

void tlb_init(struct tlb *tlb, uint32_t size)
{
	*tlb = (struct tlb){ .size = size, .entries = checked_array(size, sizeof(*tlb->entries)) };
}

void tlb_free(struct tlb *tlb)
{
	free(tlb->entries);
}

bool tlb_find(struct tlb *tlb, uint64_t page)
{
	uint32_t at = 0;
	bool found = false;

	for (uint32_t i = 0; i < tlb->size && !found; i++) {
		found = tlb->entries[i].page == page + 1;
		if (found || tlb->entries[i].used < tlb->entries[at].used)
			at = i;
	}
	tlb->entries[at] = (struct tlb_entry){ page + 1, ++tlb->now };
	*tlb_guess(tlb, page) = at;
	return found;
}

enum {
	ENTRIES_SHIFT = 9, /* log2 of entries of a table */
	LINE_ENTRIES_SHIFT = 3,
};

/* The lines of page tables and of directories, beyond all lines of a program. */
static const uint64_t tables = 1ull << 41, directories = 3ull << 40;

void translation_init(struct translation *t, const struct machine *machine,
		      struct lower_memory *lower)
{
	*t = (struct translation){ .machine = machine, .lower = lower };
	tlb_init(&t->itlb, machine->itlb_entries);
	tlb_init(&t->dtlb, machine->dtlb_entries);
	tlb_init(&t->directories, machine->walk_cache ? machine->walk_cache : 1);
	set_cache_init(&t->l2_tlb, machine->l2_tlb_entries, machine->l2_tlb_ways);
	set_cache_init(&t->l2_itlb, machine->l2_itlb_entries, machine->l2_itlb_ways);
}

void translation_free(struct translation *t)
{
	tlb_free(&t->itlb);
	tlb_free(&t->dtlb);
	tlb_free(&t->directories);
	set_cache_free(&t->l2_tlb);
	set_cache_free(&t->l2_itlb);
}

/* Walks the page tables. Returns the cycle in which the walk ends. */
static uint64_t walk(struct translation *t, uint64_t page, uint64_t cycle)
{
	uint64_t directory = page >> ENTRIES_SHIFT;
	enum memory_source ignored;

	cycle += t->machine->walk_latency;
	if (!t->machine->walk_cache)
		return cycle;
	if (!tlb_touch(&t->directories, directory))
		cycle = lower_memory_read(t->lower, directories + (directory >> LINE_ENTRIES_SHIFT),
					  cycle, &ignored);
	return lower_memory_read(t->lower, tables + (page >> LINE_ENTRIES_SHIFT), cycle, &ignored);
}

struct translated translation_refill(struct translation *t, struct set_cache *l2_tlb, uint64_t page,
				     uint64_t cycle)
{
	struct translated result = { .l1_miss = true, .l2_miss = !set_cache_touch(l2_tlb, page) };
	uint64_t ready = cycle + t->machine->l2_tlb_latency;

	if (result.l2_miss)
		ready = walk(t, page, ready);
	result.refill = ready - cycle;
	return result;
}
