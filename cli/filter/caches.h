/* SPDX-License-Identifier: MIT */
/*
 * Caches of which each thread has one: set-associative, with LRU replacement; reads and writes both
 * bring lines into the cache.
 */
#ifndef CACHES_H
#define CACHES_H

#include <stdint.h>

#include "traceformat/traceformat.h"

struct cache_shape {
	uint64_t sets, ways;
	unsigned shift; /* log2 of the bytes of a line */
};

/* Parses SIZE/WAYS/LINE. Returns NULL, or the reason why text is refused. */
const char *cache_shape_parse(const char *text, struct cache_shape *shape);

struct caches;

/* Ends the process if memory is out. */
struct caches *caches_new(const struct cache_shape *shape);
void caches_free(struct caches *caches);

/*
 * Makes the accesses of an execution, and sets in keep[operand] a bit for each lane, or bit 0, of
 * those of which a line has missed. The reads of an instruction come before its writes; operands
 * that repeat or have lanes take turns. Prefetches are not made.
 */
void caches_execute(struct caches *caches, uint32_t thread, const struct tf_block_exec *exec,
		    uint64_t *keep);

/* Return the sums over all threads: lines touched, and those that missed. */
uint64_t caches_touches(const struct caches *caches);
uint64_t caches_misses(const struct caches *caches);

#endif
