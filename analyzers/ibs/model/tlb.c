/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/tlb.h"

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
