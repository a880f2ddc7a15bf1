/* SPDX-License-Identifier: MIT */
/*
 * Drops accesses that a hierarchy need not simulate. An access to the line that the same set of
 * level 1 was touched with last, is a hit that changes nothing but counts: the line is there, and
 * is already the one that was used last. The exceptions have to be known of such a line: a store
 * must find the line dirty, and RRIP distinguishes the first hit of a line from further hits. A
 * filter knows only the accesses since its beginning, and may therefore begin anywhere.
 *
 * Nothing is dropped where something else than an access can change level 1 (a prefetcher of level
 * 1, a level below that is inclusive, other cores), nor with OPT in level 1.
 */
#ifndef CACHE_FILTER_H
#define CACHE_FILTER_H

#include "analyzers/cache/hierarchy.h"

enum { CACHE_FILTER_SETS = 512, CACHE_FILTER_GROUPS = 4 };

/* Flags of a remembered line. */
enum {
	CACHE_FILTER_KNOWN = 1,
	CACHE_FILTER_DIRTY = 2,
	CACHE_FILTER_REUSED = 4, /* the line was touched at least twice */
	CACHE_FILTER_NEVER = 8,  /* needed where each access has an effect; no line has it */
};

/* Level 1 as accesses of one kind see it. */
struct cache_filter_kind {
	uint64_t *last; /* by set: the line touched last, or-ed with flags; NULL: drop nothing */
	uint64_t line_mask; /* and-ed with an address: its line */
	uint64_t set_mask;
	unsigned shift;
	unsigned needed; /* flags of a line, accesses to which are dropped */
	unsigned marks;  /* flags that an access gives to the line */
	bool bypasses;   /* an access may leave its line out of the cache */
};

/* Hierarchies with lines of the same length in level 1. */
struct cache_filter_group {
	struct cache_filter_kind kinds[N_CACHE_KINDS];
	uint64_t last[2][CACHE_FILTER_SETS];
};

struct cache_filter {
	bool drops[N_CACHE_KINDS];       /* some accesses of the kind */
	uint64_t dropped[N_CACHE_KINDS]; /* lookups, all hits of level 1 */
	unsigned n_groups;
	struct cache_filter_group groups[CACHE_FILTER_GROUPS];
};

/*
 * Begins a filter that drops only what none of the hierarchies needs. Returns false if that is
 * nothing.
 */
bool cache_filter_init(struct cache_filter *filter, const struct cache_config *configs,
		       size_t count);

/* Forgets all lines, and the number of dropped lookups. */
void cache_filter_clear(struct cache_filter *filter);

/* Remembers the lines of an access that is not dropped. */
void cache_filter_remember(struct cache_filter *filter, const struct cache_access *access);

/* Returns true if the access repeats the last one of its set. */
static inline bool cache_filter_knows(const struct cache_filter_kind *kind,
				      const struct cache_access *access)
{
	uint64_t mask = kind->line_mask, line = access->address & mask;
	uint64_t last = kind->last[line >> kind->shift & kind->set_mask];

	return (last & (mask | kind->needed)) == (line | kind->needed) &&
	       ((access->address + access->size - 1) & mask) == line;
}

/* Returns true if the access need not be simulated, and counts it. */
static inline bool cache_filter_drops(struct cache_filter *filter,
				      const struct cache_access *access)
{
	if (!filter->drops[access->kind])
		return false;
	for (unsigned i = 0; i < filter->n_groups; i++)
		if (!cache_filter_knows(&filter->groups[i].kinds[access->kind], access)) {
			cache_filter_remember(filter, access);
			return false;
		}
	filter->dropped[access->kind] += access->count;
	return true;
}

/* Adds dropped lookups, by kind, to the counts of a hierarchy. */
void cache_hierarchy_add_hits(struct cache_hierarchy *hierarchy,
			      const uint64_t dropped[N_CACHE_KINDS]);

#endif
