/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/prefetcher.h"

enum { SURE = 2 };

void prefetcher_init(struct prefetcher *prefetcher, enum machine_prefetcher kind, uint32_t distance)
{
	*prefetcher = (struct prefetcher){ .kind = kind, .distance = distance };
}

/*
 * Returns a stride, modulo 2^64, of at least a line, since the lines ahead are the same for all
 * shorter strides.
 */
static uint64_t step_of(uint64_t stride, uint64_t unit)
{
	bool down = stride >> 63;

	if ((down ? -stride : stride) >= unit)
		return stride;
	return down ? -unit : unit;
}

static bool next_of_stride(struct prefetcher *prefetcher, uint64_t key, uint64_t position,
			   uint64_t unit, uint64_t *next)
{
	struct prefetcher_entry *entry = &prefetcher->entries[key % PREFETCHER_ENTRIES];
	uint64_t stride = position - entry->last;

	if (entry->key != key) {
		*entry = (struct prefetcher_entry){ .key = key, .last = position };
		return false;
	}
	entry->repeated = stride == entry->stride ? entry->repeated + 1 : 0;
	entry->stride = stride;
	entry->last = position;
	*next = position + prefetcher->distance * step_of(stride, unit);
	return stride && entry->repeated >= SURE;
}

bool prefetcher_next(struct prefetcher *prefetcher, uint64_t key, uint64_t position, uint64_t unit,
		     uint64_t *next)
{
	switch (prefetcher->kind) {
	case PREFETCH_NEXT_LINE: *next = position + unit; return true;
	case PREFETCH_STRIDE: return next_of_stride(prefetcher, key, position, unit, next);
	default: return false;
	}
}
