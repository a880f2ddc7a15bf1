/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/coherence.h"

#include "analyzers/cache/flow.h"

#include "cli/common/checked.h"

enum { UNITS = 64 }; /* at most, of a line */

/* ---- the cores' own levels --------------------------------------------------------------- */

static unsigned own_depths(const struct cache_config *config)
{
	return config->n_levels - config->n_shared;
}

const char *coherence_check(const struct cache_config *config)
{
	for (unsigned depth = 0; depth < own_depths(config) && !config->pages; depth++) {
		if (config->data[depth].line != config->data[0].line)
			return "lines of the cores' own levels differ in size";
		if (depth < config->n_split &&
		    config->instructions[depth].line != config->data[0].line)
			return "lines of the cores' own levels differ in size";
	}
	return NULL;
}

/* Returns the levels of a core that have a line: bit 2 * depth, + 1 for instructions. */
static uint32_t levels_with(const struct cache_hierarchy *h, unsigned core, uint64_t line)
{
	uint32_t levels = 0;

	for (unsigned depth = 0; depth < own_depths(&h->config); depth++)
		for (unsigned side = 0; side < (depth < h->config.n_split ? 2u : 1u); side++)
			if (cache_level_find(h->at[core][side][depth], line))
				levels |= 1u << (2 * depth + side);
	return levels;
}

/* ---- lines ------------------------------------------------------------------------------- */

void coherence_init(struct coherence *c, struct cache_hierarchy *hierarchy)
{
	uint32_t bytes = hierarchy->config.data[0].line;

	*c = (struct coherence){
		.hierarchy = hierarchy,
		.unit_shift = bytes > UNITS ? __builtin_ctz(bytes / UNITS) : 0,
		.line_shift = __builtin_ctz(bytes),
		.line_mask = ~(uint64_t)(bytes - 1),
	};
}

void coherence_free(struct coherence *c)
{
	TABLE_FREE(c->lines);
	TABLE_FREE(c->losses);
}

uint64_t coherence_units(const struct coherence *c, uint64_t offset, uint64_t bytes)
{
	if (!bytes)
		return 0;
	uint64_t first = offset >> c->unit_shift, last = (offset + bytes - 1) >> c->unit_shift;

	return UINT64_MAX >> (UNITS - 1 - last) & UINT64_MAX << first;
}

static uint64_t core_bit(unsigned core)
{
	return UINT64_C(1) << core;
}

/* Calls `visit` for each core of a set. */
static void each_core(struct coherence *c, uint64_t cores,
		      void (*visit)(struct coherence *c, unsigned core))
{
	for (; cores; cores &= cores - 1)
		visit(c, __builtin_ctzll(cores));
}

static struct coherence_line *touched_line(struct coherence *c)
{
	return &c->lines.at[c->touch.number];
}

/* ---- writes ------------------------------------------------------------------------------ */

/* Removes the line that is touched from another core. */
static void remove_from(struct coherence *c, unsigned core)
{
	const struct coherence_loss_key key = { c->touch.number, core };
	uint32_t levels = levels_with(c->hierarchy, core, c->touch.line);

	if (!levels)
		return;
	struct coherence_loss *loss = checked(TABLE_PUT(c->losses, key));

	for (unsigned level = 0; level < COHERENCE_LEVELS; level++)
		if (levels >> level & 1)
			loss->written[level] = 0;
	loss->levels |= levels;
	touched_line(c)->lost |= core_bit(core);
	c->touch.counts.invalidations++;
	if (cache_hierarchy_invalidate(c->hierarchy, core, c->touch.line) & CACHE_DIRTY)
		c->touch.counts.transfers++;
}

/* Notes what was written of the line that is touched, for a core that lost it. */
static void note_written(struct coherence *c, unsigned core)
{
	const struct coherence_loss_key key = { c->touch.number, core };
	struct coherence_loss *loss = TABLE_FIND(c->losses, key);

	for (unsigned level = 0; level < COHERENCE_LEVELS; level++)
		loss->written[level] |= c->touch.units;
}

static void write_line(struct coherence *c)
{
	struct coherence_line *line = touched_line(c);
	uint64_t own = core_bit(c->touch.core);

	c->touch.counts.upgrades = line->shared & own &&
				   levels_with(c->hierarchy, c->touch.core, c->touch.line);
	each_core(c, line->holders & ~own, remove_from);
	each_core(c, line->lost & ~own, note_written);
	line->holders = own;
	line->shared = 0;
}

/* ---- reads ------------------------------------------------------------------------------- */

/* Lets another core share the line that is touched, if that core has it. */
static void share_with(struct coherence *c, unsigned core)
{
	struct coherence_line *line = touched_line(c);

	if (!levels_with(c->hierarchy, core, c->touch.line)) {
		line->holders &= ~core_bit(core);
		line->shared &= ~core_bit(core);
		return;
	}
	line->shared |= core_bit(core);
	if (cache_hierarchy_clean(c->hierarchy, core, c->touch.line) & CACHE_DIRTY)
		c->touch.counts.transfers++;
}

static void read_line(struct coherence *c)
{
	struct coherence_line *line = touched_line(c);
	uint64_t own = core_bit(c->touch.core);

	if (line->holders & own && levels_with(c->hierarchy, c->touch.core, c->touch.line))
		return;
	each_core(c, line->holders & ~own, share_with);
	line->shared &= ~own;
	if (line->holders & ~own)
		line->shared |= own;
	line->holders |= own;
}

/* ---- accesses ---------------------------------------------------------------------------- */

/* Returns the state of a line. The lines that were touched last need no look into the table. */
static struct coherence_line *find_line(struct coherence *c, uint64_t key)
{
	uint32_t *recent = &c->recent[key >> c->line_shift & (COHERENCE_RECENT - 1)];
	struct coherence_line *line;

	if (*recent < c->lines.count && c->lines.at[*recent].key == key)
		return &c->lines.at[*recent];
	line = checked(TABLE_PUT(c->lines, key));
	*recent = (uint32_t)(line - c->lines.at);
	return line;
}

void coherence_access(struct coherence *c, unsigned core, uint64_t address, uint64_t bytes,
		      enum cache_kind kind)
{
	uint64_t key = address & c->line_mask;
	struct coherence_line *line = find_line(c, key);
	bool writes = kind == CACHE_STORE && bytes;

	c->touch = (struct coherence_touch){
		.line = key,
		.units = coherence_units(c, address & ~c->line_mask, bytes),
		.number = (uint32_t)(line - c->lines.at),
		.core = core,
	};
	if (line->holders != core_bit(core) || (writes && line->lost)) {
		if (writes)
			write_line(c);
		else
			read_line(c);
		c->counts.upgrades += c->touch.counts.upgrades;
		c->counts.invalidations += c->touch.counts.invalidations;
		c->counts.transfers += c->touch.counts.transfers;
	}
	c->touch.contended = touched_line(c)->lost != 0;
}

bool coherence_is_quiet(struct coherence *c, unsigned core, uint64_t address, enum cache_kind kind)
{
	const struct coherence_line *line = find_line(c, address & c->line_mask);
	uint64_t own = core_bit(core);

	if (line->lost || !(line->holders & own))
		return false;
	return kind != CACHE_STORE || line->holders == own;
}

enum cache_miss coherence_lookup(struct coherence *c, const struct cache_lookup *lookup)
{
	const struct coherence_touch *touch = &c->touch;
	const struct coherence_loss_key key = { touch->number, touch->core };
	unsigned level = 2 * lookup->depth + lookup->instructions;
	struct coherence_loss *loss;

	if (!(touched_line(c)->lost & core_bit(touch->core)) ||
	    lookup->depth >= own_depths(&c->hierarchy->config))
		return N_CACHE_MISSES;
	loss = TABLE_FIND(c->losses, key);
	if (!(loss->levels >> level & 1))
		return N_CACHE_MISSES;
	loss->levels &= ~(1u << level);
	if (lookup->hit)
		return N_CACHE_MISSES;
	return loss->written[level] & touch->units ? CACHE_TRUE_SHARING : CACHE_FALSE_SHARING;
}
