/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/hierarchy.h"

#include "cli/common/checked.h"

/* ---- the caches ---------------------------------------------------------------------------- */

static struct cache_level *new_level(struct cache_hierarchy *h, const struct cache_geometry *g)
{
	struct cache_level *level = &h->levels[h->n_levels++];

	cache_level_init(level, g);
	return level;
}

static void make_depth(struct cache_hierarchy *h, unsigned core, unsigned depth)
{
	const struct cache_config *c = &h->config;
	bool shared = cache_is_shared(h, depth);

	for (unsigned side = 0; side < 2; side++) {
		struct cache_level **place = &h->at[core][side][depth];

		if (shared && core)
			*place = h->at[0][side][depth];
		else if (!side)
			*place = new_level(h, &c->data[depth]);
		else if (depth < c->n_split)
			*place = new_level(h, &c->instructions[depth]);
		else
			*place = h->at[core][0][depth];
	}
}

void cache_hierarchy_init(struct cache_hierarchy *h, const struct cache_config *config)
{
	*h = (struct cache_hierarchy){ .config = *config };
	h->levels = checked_array(2ul * CACHE_MAX_LEVELS * config->n_cores, sizeof(*h->levels));
	for (unsigned core = 0; core < config->n_cores; core++)
		for (unsigned depth = 0; depth < config->n_levels; depth++)
			make_depth(h, core, depth);
	for (unsigned depth = 0; depth < config->n_levels; depth++)
		if (cache_config_has_opt(config, depth))
			h->logs[depth] = cache_log_new();
}

void cache_hierarchy_free(struct cache_hierarchy *h)
{
	for (unsigned i = 0; i < h->n_levels; i++)
		cache_level_free(&h->levels[i]);
	free(h->levels);
	free(h->crossed.at);
	for (unsigned depth = 0; depth < CACHE_MAX_LEVELS; depth++)
		cache_log_free(h->logs[depth]);
}

/* ---- counts -------------------------------------------------------------------------------- */

static void add_counts(struct cache_counts *sum, const struct cache_counts *counts)
{
	const uint64_t *from = (const uint64_t *)counts;
	uint64_t *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

struct cache_counts cache_hierarchy_counts(const struct cache_hierarchy *h, unsigned depth,
					   bool instructions)
{
	const struct cache_config *c = &h->config;
	unsigned copies = cache_is_shared(h, depth) ? 1 : c->n_cores;
	struct cache_counts sum = { 0 };

	for (unsigned core = 0; core < copies; core++)
		add_counts(&sum, &h->at[core][instructions][depth]->counts);
	return sum;
}

/* ---- parts --------------------------------------------------------------------------------- */

void cache_hierarchy_divide(struct cache_hierarchy *h, unsigned part, unsigned parts)
{
	uint32_t longest = cache_config_longest_line(&h->config);

	h->part = part;
	h->part_mask = parts - 1;
	h->part_shift = __builtin_ctz(longest);
	for (unsigned i = 0; i < h->n_levels; i++)
		if (h->levels[i].geometry.line == longest)
			cache_level_divide(&h->levels[i], parts);
}

void cache_hierarchy_add_counts(struct cache_hierarchy *to, const struct cache_hierarchy *from)
{
	for (unsigned i = 0; i < from->n_levels; i++)
		add_counts(&to->levels[i].counts, &from->levels[i].counts);
	for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++) {
		to->crossings[kind] += from->crossings[kind];
		to->crossing_misses[kind] += from->crossing_misses[kind];
	}
	to->bytes_read += from->bytes_read;
	to->bytes_written += from->bytes_written;
}
