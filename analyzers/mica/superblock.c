/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/superblock.h"

void mica_unfold(const struct mica_superblock_exec *exec,
		 void (*consume)(void *opaque, const struct mica_event *events, size_t count),
		 void *opaque)
{
	const struct mica_superblock *superblock = exec->superblock;
	struct mica_event events[64];
	size_t n = 0;

	for (unsigned k = 0; k < superblock->n_segments; k++) {
		const struct mica_segment *segment = &superblock->segments[k];
		const uint64_t *values = exec->values ? exec->values + segment->first_value : NULL;

		for (unsigned i = 0; i < segment->count; i++) {
			if (n == sizeof(events) / sizeof(events[0])) {
				consume(opaque, events, n);
				n = 0;
			}
			mica_plain_event(&events[n++], &segment->insns[i], values, exec->space);
		}
		events[n - 1].taken = mica_segment_taken(superblock, k);
	}
	consume(opaque, events, n);
}
