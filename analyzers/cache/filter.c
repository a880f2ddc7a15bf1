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

/* Begins a group with what does not depend on the policies. */
static void init_group(struct cache_filter_group *group, const struct cache_config *c)
{
	for (enum cache_kind kind = 0; kind < N_CACHE_KINDS; kind++) {
		unsigned side = kind == CACHE_FETCH;
		uint32_t line = level_1(c, side)->line;

		group->kinds[kind] = (struct cache_filter_kind){
			.last = group->last[side && c->n_split],
			.line_mask = ~(uint64_t)(line - 1),
			.set_mask = CACHE_FILTER_SETS - 1,
			.shift = __builtin_ctz(line),
			.needed = CACHE_FILTER_KNOWN,
			.marks = kind == CACHE_STORE ? CACHE_FILTER_DIRTY : 0,
		};
	}
}

/* Returns the group of configs[i], a new one if no hierarchy before it is alike; NULL: too many. */
static struct cache_filter_group *find_group(struct cache_filter *f,
					     const struct cache_config *configs, size_t i)
{
	size_t leaders[CACHE_FILTER_GROUPS], n = 0;

	for (size_t j = 0; j < i; j++) {
		size_t g = 0;

		while (g < n && !are_alike(&configs[leaders[g]], &configs[j]))
			g++;
		if (g == n)
			leaders[n++] = j;
	}
	for (size_t g = 0; g < n; g++)
		if (are_alike(&configs[leaders[g]], &configs[i]))
			return &f->groups[g];
	if (n == CACHE_FILTER_GROUPS)
		return NULL;
	init_group(&f->groups[n], &configs[i]);
	f->n_groups++;
	return &f->groups[n];
}

/* Adds a hierarchy to its group. Returns false if there are too many groups. */
static bool add_hierarchy(struct cache_filter *f, const struct cache_config *configs, size_t i)
{
	struct cache_filter_group *group = find_group(f, configs, i);

	for (enum cache_kind kind = 0; group && kind < N_CACHE_KINDS; kind++) {
		unsigned side = kind == CACHE_FETCH;

		add_needs(&group->kinds[kind], &configs[i], side, kind == CACHE_STORE);
		f->drops[kind] &= only_accesses_change(&configs[i], side);
	}
	return group != NULL;
}

/* Returns true if a level 1 is for instructions and data. Then all of these must be remembered. */
static bool any_is_unified(const struct cache_config *configs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!configs[i].n_split)
			return true;
	return false;
}

bool cache_filter_init(struct cache_filter *f, const struct cache_config *configs, size_t count)
{
	bool possible = true;

	*f = (struct cache_filter){ .drops = { true, true, true } };
	for (size_t i = 0; i < count && possible; i++)
		possible = add_hierarchy(f, configs, i);
	if (any_is_unified(configs, count))
		possible &= f->drops[CACHE_FETCH] && f->drops[CACHE_LOAD];
	for (enum cache_kind kind = 0; kind < N_CACHE_KINDS; kind++)
		f->drops[kind] &= possible;
	return f->drops[CACHE_FETCH] || f->drops[CACHE_LOAD];
}

void cache_filter_clear(struct cache_filter *f)
{
	for (unsigned i = 0; i < f->n_groups; i++)
		memset(f->groups[i].last, 0, sizeof(f->groups[i].last));
	memset(f->dropped, 0, sizeof(f->dropped));
}

static void remember(const struct cache_filter_kind *kind, const struct cache_access *a)
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

void cache_filter_remember(struct cache_filter *f, const struct cache_access *access)
{
	for (unsigned i = 0; i < f->n_groups; i++)
		remember(&f->groups[i].kinds[access->kind], access);
}

void cache_hierarchy_add_hits(struct cache_hierarchy *h, const uint64_t dropped[N_CACHE_KINDS])
{
	for (enum cache_kind kind = 0; kind < N_CACHE_KINDS; kind++)
		h->at[0][kind == CACHE_FETCH][0]->counts.lookups[kind] += dropped[kind];
}
