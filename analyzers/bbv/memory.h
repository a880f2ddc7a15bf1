/* SPDX-License-Identifier: MIT */
/*
 * The memory part of a vector: how often each page was accessed, or how many accesses each level of
 * a cache hierarchy answered. Programs that execute the same code on other data differ here.
 */
#ifndef BBV_MEMORY_H
#define BBV_MEMORY_H

#include "analyzers/bbv/bbv.h"

enum bbv_memory_kind { BBV_NO_MEMORY, BBV_PAGES, BBV_MISSES };

enum { BBV_MAX_LEVELS = 4, BBV_PAGE = 4096, BBV_LINE = 64 };

/* Set-associative caches with LRU replacement and lines of BBV_LINE bytes, from the first level on;
 * a store allocates like a load. */
struct bbv_caches {
	unsigned n_levels;
	struct {
		uint64_t size, ways;
	} levels[BBV_MAX_LEVELS];
};
/* clang-format off */
#define BBV_CACHES { 3, { { 32 << 10, 8 }, { 1 << 20, 16 }, { 32 << 20, 16 } } }
/* clang-format on */

/* Parses SIZE:WAYS,... ; returns what is wrong, or NULL. */
const char *bbv_caches_parse(const char *text, struct bbv_caches *caches);

struct bbv_memory; /* of one thread: it has caches of its own */

struct bbv_memory *bbv_memory_new(enum bbv_memory_kind kind, const struct bbv_caches *caches);
void bbv_memory_free(struct bbv_memory *memory);

/*
 * Counts the loads and stores of an execution with values, each element of a rep and each active
 * lane once; to the page of the first byte, or to the level (1 ..; one more: memory) that had to
 * answer for the slowest byte.
 */
void bbv_memory_count(struct bbv_memory *memory, struct bbv_thread *thread,
		      const struct tf_block_exec *exec);

#endif
