/* SPDX-License-Identifier: MIT */
/*
 * A cache: its lines, their replacement, and its counts. trace-cache(1) defines the policies and
 * counts. A line is named by its address; of process i, with i added at bit 48.
 */
#ifndef CACHE_LEVEL_H
#define CACHE_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/cache/config.h"
#include "analyzers/ibs/model/caches.h"

enum cache_kind { CACHE_FETCH, CACHE_LOAD, CACHE_STORE, N_CACHE_KINDS };

struct cache_counts {
	uint64_t lookups[N_CACHE_KINDS], misses[N_CACHE_KINDS]; /* demand, by the first cause */
	uint64_t writes, write_misses;                          /* that a level above passed on */
	uint64_t evictions;
	uint64_t write_backs;    /* dirty lines that were evicted */
	uint64_t invalidations;  /* by an inclusive level below, or by coherence */
	uint64_t victims;        /* exclusive: lines taken from the level above */
	uint64_t prefetches;     /* lines that were filled because they were predicted */
	uint64_t useful;         /* of these: used before eviction */
	uint64_t useless;        /* of these: evicted unused */
	uint64_t prefetch_reads; /* lookups by prefetchers of levels above */
	uint64_t bytes_in;       /* from the level below */
	uint64_t bytes_out;      /* to the level below */
};

/* Flags in the low bits of an entry; the others are the line's address. 0: a free way. */
enum { CACHE_VALID = 1, CACHE_DIRTY = 2, CACHE_PREFETCHED = 4, CACHE_FLAGS = CACHE_LEAST_LINE - 1 };

struct cache_level {
	struct cache_geometry geometry;
	uint64_t line_mask; /* and-ed with an address: its line */
	unsigned shift;     /* of an address, to the number of the line, in its part of the lines */
	uint64_t sets;
	uint64_t set_mask; /* sets - 1, or 0 if sets is not a power of two */
	uint32_t ways;
	uint64_t *entries; /* set by set; LRU, FIFO: the newest first */
	uint8_t *ages;     /* by entry: RRPV of the RRIP policies */
	uint64_t *states;  /* by set: PLRU's bits; replacements of random */
	uint32_t psel;     /* DRRIP */
	uint64_t brrip_fills;
	uint64_t leader_step;       /* DRRIP: sets between leaders of one policy */
	uint32_t *next_uses;        /* by entry: OPT, the request that uses the line next */
	uint32_t next_use;          /* OPT: of the line of the current request */
	struct prefetcher *strides; /* NULL: no stride prefetcher */
	struct cache_counts counts;
};

/* Ends the process if memory is out. */
void cache_level_init(struct cache_level *level, const struct cache_geometry *geometry);
void cache_level_free(struct cache_level *level);

/*
 * Leaves an empty cache only the sets of one of `parts` parts: a power of two, of which the number
 * of sets is a multiple. The lines of a part have numbers with equal lowest bits.
 */
void cache_level_divide(struct cache_level *level, unsigned parts);

static inline uint64_t cache_set_number(const struct cache_level *level, uint64_t line)
{
	uint64_t number = line >> level->shift;

	return level->set_mask || level->sets == 1 ? number & level->set_mask
						   : number % level->sets;
}

/*
 * Looks a line up. If it is there, it is touched, and its entry returned, which is valid until the
 * next call; else NULL. demand: a miss trains DRRIP.
 */
uint64_t *cache_level_touch(struct cache_level *level, uint64_t line, bool demand);

/* Returns the entry of a line without touching the line, or NULL. */
uint64_t *cache_level_find(const struct cache_level *level, uint64_t line);

/*
 * Fills a line that is not there; flags: enum, or-ed, without CACHE_VALID. Returns the entry that
 * was evicted, or 0.
 */
uint64_t cache_level_fill(struct cache_level *level, uint64_t line, unsigned flags);

/* Removes a line. Returns its entry, or 0 if it is not there. */
uint64_t cache_level_remove(struct cache_level *level, uint64_t line);

#endif
