/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/filter.h"

#include <string.h>

static const struct cache_geometry *level_1(const struct cache_config *c, unsigned side)
{
	return side && c->n_split ? &c->instructions[0] : &c->data[0];
}

/* Returns true if nothing but accesses changes level 1, on one side of it. */
static bool only_accesses_change(const struct cache_config *c, unsigned side)
{
	for (unsigned depth = 1; depth < c->n_levels; depth++)
		if (c->data[depth].inclusion == CACHE_INCLUSIVE ||
		    (depth < c->n_split && c->instructions[depth].inclusion == CACHE_INCLUSIVE))
			return false;
	return !level_1(c, side)->prefetch && !cache_config_has_opt(c, 0) && c->n_cores == 1;
}

/* Returns a mask of the bits of a line's number that all lines of a set have in common. */
static uint64_t set_mask(const struct cache_geometry *g)
{
	uint64_t sets = g->size / g->line / g->ways, powers = sets & -sets;

	return (powers < CACHE_FILTER_SETS ? powers : CACHE_FILTER_SETS) - 1;
}

/* Adds what a hierarchy needs of a line before accesses of the kind may be dropped. */
static void add_needs(struct cache_filter_kind *kind, const struct cache_config *c, unsigned side,
		      bool is_store)
{
	const struct cache_geometry *g = level_1(c, side);
	bool writes = is_store && !c->pages;

	kind->set_mask &= set_mask(g);
	if (g->policy == CACHE_SRRIP || g->policy == CACHE_BRRIP || g->policy == CACHE_DRRIP)
		kind->needed |= CACHE_FILTER_REUSED;
	if (writes)
		kind->needed |= g->write_through ? CACHE_FILTER_NEVER : CACHE_FILTER_DIRTY;
	kind->bypasses |= writes && g->no_allocate;
}

/* Returns true if level 1 of both hierarchies has the same lines on both sides. */
static bool are_alike(const struct cache_config *a, const struct cache_config *b)
{
	return !a->n_split == !b->n_split && level_1(a, 0)->line == level_1(b, 0)->line &&
	       level_1(a, 1)->line == level_1(b, 1)->line;
}

static void init_kind(struct cache_filter *f, enum cache_kind kind,
		      const struct cache_config *configs, size_t count)
{
	struct cache_filter_kind *k = &f->kinds[kind];
	unsigned side = kind == CACHE_FETCH;
	uint32_t line = level_1(configs, side)->line;
	bool possible = true;

	*k = (struct cache_filter_kind){
		.line_mask = ~(uint64_t)(line - 1),
		.set_mask = CACHE_FILTER_SETS - 1,
		.shift = __builtin_ctz(line),
		.needed = CACHE_FILTER_KNOWN,
		.marks = kind == CACHE_STORE ? CACHE_FILTER_DIRTY : 0,
	};
	for (size_t i = 0; i < count; i++) {
		possible &= are_alike(configs, &configs[i]) &&
			    only_accesses_change(&configs[i], side);
		add_needs(k, &configs[i], side, kind == CACHE_STORE);
	}
	if (possible)
		k->last = f->last[side && configs->n_split];
}

void cache_filter_init(struct cache_filter *f, const struct cache_config *configs, size_t count)
{
	for (enum cache_kind kind = 0; kind < N_CACHE_KINDS; kind++)
		init_kind(f, kind, configs, count);
	cache_filter_clear(f);
}

void cache_filter_clear(struct cache_filter *f)
{
	memset(f->last, 0, sizeof(f->last));
	memset(f->dropped, 0, sizeof(f->dropped));
}

void cache_filter_remember(const struct cache_filter_kind *kind, const struct cache_access *a)
{
	uint64_t mask = kind->line_mask, line = a->address & mask;
	uint64_t end = (a->address + (a->size ? a->size : 1) - 1) & mask;

	for (;; line += (uint64_t)1 << kind->shift) {
		uint64_t *last = &kind->last[line >> kind->shift & kind->set_mask];

		if ((*last & (mask | CACHE_FILTER_KNOWN)) == (line | CACHE_FILTER_KNOWN))
			*last |= CACHE_FILTER_REUSED | kind->marks;
		else
			*last = kind->bypasses ? 0 : line | CACHE_FILTER_KNOWN | kind->marks;
		if (line == end)
			break;
	}
}

void cache_hierarchy_add_hits(struct cache_hierarchy *h, const uint64_t dropped[N_CACHE_KINDS])
{
	for (enum cache_kind kind = 0; kind < N_CACHE_KINDS; kind++)
		h->at[0][kind == CACHE_FETCH][0]->counts.lookups[kind] += dropped[kind];
}
