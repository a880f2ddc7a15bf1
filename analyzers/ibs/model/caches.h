/* SPDX-License-Identifier: MIT */
/*
 * Caches of lines: their sets, the lines that are on their way to them, prefetchers, and the levels
 * behind a core's first level caches: L2, L3 and memory. Times are in cycles.
 */
#ifndef IBS_CACHES_H
#define IBS_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/ibs/model/machine.h"

/* A set-associative cache of lines, or of pages, that evicts the least recently used one. */
struct set_cache {
	uint32_t sets, ways;
	uint32_t mask;   /* sets - 1, if that is a power of two, else 0 */
	uint64_t *lines; /* set by set, the newest first: the line + 1; 0: none */
};

/*
 * Initializes a cache. entries: lines in all, rounded down to whole sets, but at least one set.
 * Ends the process if memory is out.
 */
void set_cache_init(struct set_cache *cache, uint32_t entries, uint32_t ways);
void set_cache_free(struct set_cache *cache);

/* Returns the set of a line, without a division if that is possible. */
static inline uint64_t *set_cache_set(const struct set_cache *cache, uint64_t line)
{
	uint64_t set = cache->mask ? line & cache->mask : line % cache->sets;

	return &cache->lines[set * cache->ways];
}

/*
 * Makes `line` the first one of its set. Returns line + 1 if the line was in the set, else the
 * evicted line + 1, or 0.
 */
uint64_t set_cache_move_up(uint64_t *set, uint32_t ways, uint64_t line);

/* Makes `line` the newest of its set. Returns true if it was there. */
static inline bool set_cache_touch(struct set_cache *cache, uint64_t line)
{
	uint64_t *set = set_cache_set(cache, line);

	return *set == line + 1 || set_cache_move_up(set, cache->ways, line) == line + 1;
}

/* Does what set_cache_raise does, for a line that is not the newest of its set. */
bool set_cache_raise_older(uint64_t *set, uint32_t ways, uint64_t line);

/*
 * Does what set_cache_touch does, for a line that is there; otherwise returns false and changes
 * nothing.
 */
static inline bool set_cache_raise(struct set_cache *cache, uint64_t line)
{
	uint64_t *set = set_cache_set(cache, line);

	return *set == line + 1 || set_cache_raise_older(set, cache->ways, line);
}

/* Makes `line` the newest of its set. Returns the evicted line + 1, or 0 if none was evicted. */
static inline uint64_t set_cache_insert(struct set_cache *cache, uint64_t line)
{
	uint64_t out = set_cache_move_up(set_cache_set(cache, line), cache->ways, line);

	return out == line + 1 ? 0 : out;
}

/* Returns true if a line is there; does not change its age. */
bool set_cache_has(const struct set_cache *cache, uint64_t line);

enum { PENDING_LINES = 256 };

/* Lines that are on their way to a cache, and the cycles in which they arrive. */
struct pending_lines {
	struct pending_line {
		uint64_t line, ready;
	} lines[PENDING_LINES]; /* by line; of two lines that collide, one is forgotten */
	uint64_t all_ready;     /* the cycle in which the last of them arrives */
};

static inline void pending_add(struct pending_lines *pending, uint64_t line, uint64_t ready)
{
	pending->lines[line % PENDING_LINES] = (struct pending_line){ line, ready };
	if (pending->all_ready < ready)
		pending->all_ready = ready;
}

/* Returns the cycle in which a line arrives or arrived; 0 if it is not known. */
static inline uint64_t pending_ready(const struct pending_lines *pending, uint64_t line)
{
	const struct pending_line *entry = &pending->lines[line % PENDING_LINES];

	return entry->line == line ? entry->ready : 0;
}

enum { PREFETCHER_ENTRIES = 64, PREFETCHER_SURE = 2 /* repetitions of a stride */ };

/*
 * Predicts the next accesses from earlier ones: the next line, or one a few strides ahead, after
 * the reference prediction table of J. L. Baer, T. F. Chen, "An Effective On-Chip Preloading Scheme
 * to Reduce Data Access Penalty", Supercomputing 1991. The key of a table that is in front of L1D
 * is the instruction, and behind it the page, as no instruction is known there.
 */
struct prefetcher {
	enum machine_prefetcher kind;
	uint32_t distance; /* strides */
	struct prefetcher_entry {
		uint64_t key, last, stride;
		uint32_t repeated; /* number of times that the stride did not change */
	} entries[PREFETCHER_ENTRIES];
};

void prefetcher_init(struct prefetcher *prefetcher, enum machine_prefetcher kind,
		     uint32_t distance);

static inline struct prefetcher_entry *prefetcher_entry(struct prefetcher *prefetcher, uint64_t key)
{
	return &prefetcher->entries[key % PREFETCHER_ENTRIES];
}

/* Adds an access to the table. Returns true if its stride has repeated and is not 0. */
static inline bool prefetcher_add(struct prefetcher *prefetcher, uint64_t key, uint64_t position)
{
	struct prefetcher_entry *entry = prefetcher_entry(prefetcher, key);
	uint64_t stride = position - entry->last;

	if (entry->key != key) {
		*entry = (struct prefetcher_entry){ .key = key, .last = position };
		return false;
	}
	entry->repeated = stride == entry->stride ? entry->repeated + 1 : 0;
	entry->stride = stride;
	entry->last = position;
	return stride && entry->repeated >= PREFETCHER_SURE;
}

/* Reports an access. Returns true if it is worthwhile to prefetch. */
static inline bool prefetcher_predicts(struct prefetcher *prefetcher, uint64_t key,
				       uint64_t position)
{
	switch (prefetcher->kind) {
	case PREFETCH_NONE: return false;
	case PREFETCH_NEXT_LINE: return true;
	case PREFETCH_STRIDE: break;
	}
	return prefetcher_add(prefetcher, key, position);
}

/*
 * Returns the position to prefetch after an access for which prefetcher_predicts() returned true.
 * unit: the length of a line, in the unit of positions.
 */
uint64_t prefetcher_next(struct prefetcher *prefetcher, uint64_t key, uint64_t position,
			 uint64_t unit);

enum memory_source { FROM_L1, FROM_L2, FROM_L3, FROM_MEMORY };

enum { MEMORY_SLOTS = 1024 };

/* The levels behind the first level caches of a core. */
struct lower_memory {
	const struct machine *machine;
	struct set_cache l2;
	struct set_cache *l3; /* shared by all cores */
	uint64_t space;       /* added to lines in L3, because processes have different memory */
	struct prefetcher prefetcher;
	struct pending_lines prefetched; /* prefetches into L2 */
	uint64_t slots[MEMORY_SLOTS];    /* the last interval in which each was taken, + 1 */
};

/*
 * Initializes the lower memory, which l3 and the machine must outlive. Ends the process if memory
 * is out.
 */
void lower_memory_init(struct lower_memory *lower, const struct machine *machine,
		       struct set_cache *l3);
void lower_memory_free(struct lower_memory *lower);

/* Reads a line that was requested at a cycle. Returns the cycle in which its data can be used. */
uint64_t lower_memory_read(struct lower_memory *lower, uint64_t line, uint64_t cycle,
			   enum memory_source *source);

/*
 * Reports a read of data, after the read; lines that are predicted to be next are then brought to
 * L2.
 */
void lower_memory_prefetch(struct lower_memory *lower, uint64_t line, uint64_t cycle);

#endif
