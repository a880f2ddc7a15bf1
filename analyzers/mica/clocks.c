/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"

enum { FIRST_ENTRIES = 4096 };

static void allocate(struct clocks *clocks, size_t entries)
{
	clocks->mask = entries - 1;
	clocks->keys = mica_alloc(entries, sizeof(*clocks->keys));
	clocks->values = mica_alloc(entries * clocks->width, sizeof(*clocks->values));
}

void clocks_init(struct clocks *clocks, unsigned width)
{
	*clocks = (struct clocks){ .width = width, .epoch = 1 };
	allocate(clocks, FIRST_ENTRIES);
}

void clocks_free(struct clocks *clocks)
{
	free(clocks->keys);
	free(clocks->values);
}

void clocks_clear(struct clocks *clocks)
{
	clocks->epoch++;
	clocks->used = 0;
}

/* The block's entry, or the free one where it belongs. */
static size_t entry_of(const struct clocks *clocks, uint64_t block)
{
	size_t at = block * 0x9e3779b97f4a7c15 >> 24;

	for (;; at++) {
		const struct clocks_key *key = &clocks->keys[at & clocks->mask];

		if (key->epoch != clocks->epoch || key->block == block)
			return at & clocks->mask;
	}
}

const uint64_t *clocks_find(const struct clocks *clocks, uint64_t block)
{
	size_t at = entry_of(clocks, block);

	return clocks->keys[at].epoch == clocks->epoch ? &clocks->values[at * clocks->width] : NULL;
}

static void grow(struct clocks *clocks)
{
	struct clocks old = *clocks;

	allocate(clocks, 2 * (old.mask + 1));
	for (size_t i = 0; i <= old.mask; i++) {
		if (old.keys[i].epoch != old.epoch)
			continue;
		size_t at = entry_of(clocks, old.keys[i].block);

		clocks->keys[at] = old.keys[i];
		memcpy(&clocks->values[at * old.width], &old.values[i * old.width],
		       old.width * sizeof(*old.values));
	}
	clocks_free(&old);
}

uint64_t *clocks_set(struct clocks *clocks, uint64_t block)
{
	size_t at = entry_of(clocks, block);

	if (clocks->keys[at].epoch != clocks->epoch) {
		if (clocks->used > clocks->mask / 2) {
			grow(clocks);
			at = entry_of(clocks, block);
		}
		clocks->used++;
		clocks->keys[at] = (struct clocks_key){ block, clocks->epoch };
	}
	return &clocks->values[at * clocks->width];
}
