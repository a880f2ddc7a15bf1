/* SPDX-License-Identifier: MIT */
/*
 * The threads that share lines falsely: for each line with more misses by false than by true
 * sharing, the bytes that each thread accesses.
 */
#ifndef CACHE_SHARERS_H
#define CACHE_SHARERS_H

#include "analyzers/cache/contention.h"

struct sharer {
	uint32_t line; /* number */
	uint32_t thread, core;
	uint64_t written, read;       /* bit n: the n-th unit of the line, see coherence.h */
	struct contention_counts all; /* of its accesses */
	uint32_t site;                /* instruction with the most misses by false sharing */
	uint64_t most;                /* of these */
};

/*
 * Returns the sharers of the `top` lines with the most coherence misses, line by line in that
 * order, by thread within a line. Free the array.
 */
struct sharer *false_sharers(const struct contention *contention, uint64_t top, size_t *count);

/* Returns units of a line as ranges of bytes, "0-7,16-23"; NULL: there are none. Free the text. */
char *sharer_bytes(const struct contention *contention, uint64_t units);

#endif
