/* SPDX-License-Identifier: MIT */
/* When memory blocks are ready: a hash table from block numbers to one clock a window. */
#ifndef MICA_CLOCKS_H
#define MICA_CLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct clocks {
	unsigned width;		/* clocks of a block */
	uint64_t epoch;		/* entries of others are free */
	size_t used, mask;	/* entries of the epoch; entries - 1 */
	struct clocks_key {
		uint64_t block, epoch;
	} *keys;
	uint64_t *values;	/* width by entry */
};

/* Memory that is out ends the process. */
void clocks_init(struct clocks *clocks, unsigned width);
void clocks_free(struct clocks *clocks);

/* Forgets all blocks. O(1). */
void clocks_clear(struct clocks *clocks);

/* Returns a block's clocks, or NULL. */
const uint64_t *clocks_find(const struct clocks *clocks, uint64_t block);

/* Returns a block's clocks to be set; valid until the next call. */
uint64_t *clocks_set(struct clocks *clocks, uint64_t block);

#endif
