/* SPDX-License-Identifier: MIT */
/*
 * Translates virtual addresses of code and data, by TLBs and by walks through page tables of 4 KiB
 * pages. A walk takes a fixed time, or it loads entries by way of L2: the entry of the page table
 * and, if the walk cache does not have it, the entry of the page directory. The levels above are
 * always in the walk cache.
 */
#ifndef IBS_TRANSLATION_H
#define IBS_TRANSLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/ibs/model/caches.h"

enum { TLB_GUESSES = 256 };

/* A fully associative TLB that evicts the least recently used page. */
struct tlb {
	uint32_t size;
	uint64_t now; /* accesses so far */
	struct tlb_entry {
		uint64_t page; /* + 1; 0: none */
		uint64_t used; /* `now` at its last use */
	} * entries;
	uint16_t guesses[TLB_GUESSES]; /* by hash: the entry in which a page of it was last */
};

/*
 * Returns the predicted place of a page; pages that are accessed in turn seldom share a place. The
 * hash is that of D. E. Knuth, TAOCP 3, 6.4.
 */
static inline uint16_t *tlb_guess(struct tlb *tlb, uint64_t page)
{
	return &tlb->guesses[(uint32_t)page * 2654435769u >> 24];
}

/* Initializes a TLB. Ends the process if memory is out. */
void tlb_init(struct tlb *tlb, uint32_t size);
void tlb_free(struct tlb *tlb);

/* Does what tlb_touch does, for a page that is not at its predicted place. */
bool tlb_find(struct tlb *tlb, uint64_t page);

/*
 * Does what tlb_touch does if the page is at its predicted place; otherwise returns false and
 * changes nothing.
 */
static inline bool tlb_hits(struct tlb *tlb, uint64_t page)
{
	struct tlb_entry *guess = &tlb->entries[*tlb_guess(tlb, page)];

	if (guess->page != page + 1)
		return false;
	guess->used = ++tlb->now;
	return true;
}

/* Makes `page` the newest. Returns true if it was there. */
static inline bool tlb_touch(struct tlb *tlb, uint64_t page)
{
	return tlb_hits(tlb, page) || tlb_find(tlb, page);
}

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
