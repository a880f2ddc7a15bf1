/* SPDX-License-Identifier: MIT */
/*
 * Virtual addresses of code and data: TLBs, and walks through page tables of 4 KiB pages. A walk
 * takes a fixed time, or loads the entry of the page table, and that of the directory if the walk
 * cache does not have it, from L2 on; the levels above are always in that cache.
 */
#ifndef IBS_TRANSLATION_H
#define IBS_TRANSLATION_H

#include "analyzers/ibs/model/lower.h"
#include "analyzers/ibs/model/tlb.h"

struct translation {
	const struct machine *machine;
	struct lower_memory *lower;
	struct tlb itlb, dtlb, directories;
	struct set_cache l2_tlb, l2_itlb;
};

/* The result of translating an address. */
struct translated {
	uint32_t refill; /* cycles until the first level TLB had the page, 0 if it had it */
	bool l1_miss, l2_miss;
};

/*
 * Initializes *translation, which `machine` and `lower` must outlive. Ends the process if memory is
 * out.
 */
void translation_init(struct translation *translation, const struct machine *machine,
		      struct lower_memory *lower);
void translation_free(struct translation *translation);

/* Translates an address that misses in the first level TLBs. */
struct translated translation_refill(struct translation *translation, struct set_cache *l2_tlb,
				     uint64_t page, uint64_t cycle);

static inline struct translated translate_data(struct translation *t, uint64_t address,
					       uint64_t cycle)
{
	uint64_t page = address >> MACHINE_PAGE_SHIFT;

	if (tlb_touch(&t->dtlb, page))
		return (struct translated){ 0 };
	return translation_refill(t, &t->l2_tlb, page, cycle);
}

static inline struct translated translate_code(struct translation *t, uint64_t pc, uint64_t cycle)
{
	uint64_t page = pc >> MACHINE_PAGE_SHIFT;

	if (tlb_touch(&t->itlb, page))
		return (struct translated){ 0 };
	return translation_refill(t, t->machine->l2_itlb_entries ? &t->l2_itlb : &t->l2_tlb, page,
				  cycle);
}

#endif
