/* SPDX-License-Identifier: MIT */
/* A fully associative TLB that evicts the least recently used page. */
#ifndef IBS_TLB_H
#define IBS_TLB_H

#include <stdbool.h>
#include <stdint.h>

enum { TLB_GUESSES = 256 };

struct tlb {
	uint32_t size;
	uint64_t now; /* accesses so far */
	struct tlb_entry {
		uint64_t page, used; /* + 1, 0: none; `now` when it was used last */
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

#endif
