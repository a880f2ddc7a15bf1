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
	bool shared = depth + c->n_shared >= c->n_levels;

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
}

void cache_hierarchy_free(struct cache_hierarchy *h)
{
	for (unsigned i = 0; i < h->n_levels; i++)
		cache_level_free(&h->levels[i]);
	free(h->levels);
}

void cache_hierarchy_clear(struct cache_hierarchy *h)
{
	for (unsigned i = 0; i < h->n_levels; i++)
		h->levels[i].counts = (struct cache_counts){ 0 };
	h->bytes_read = h->bytes_written = 0;
	for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++)
		h->crossings[kind] = h->crossing_misses[kind] = 0;
}

struct cache_counts cache_hierarchy_counts(const struct cache_hierarchy *h, unsigned depth,
					   bool instructions)
{
	const struct cache_config *c = &h->config;
	unsigned copies = depth + c->n_shared >= c->n_levels ? 1 : c->n_cores;
	struct cache_counts sum = { 0 };

	for (unsigned core = 0; core < copies; core++) {
		const uint64_t *counts = (uint64_t *)&h->at[core][instructions][depth]->counts;

		for (size_t i = 0; i < sizeof(sum) / sizeof(uint64_t); i++)
			((uint64_t *)&sum)[i] += counts[i];
	}
	return sum;
}

/* ---- from a level to the one below --------------------------------------------------------- */

/* A place in the hierarchy: a level as a core sees it. */
struct at {
	uint8_t core, side;
	uint8_t kind; /* enum cache_kind, of the access that is the first cause */
	uint8_t depth;
};

static struct at below(struct at at)
{
	at.depth++;
	return at;
}

static struct cache_level *level_at(const struct cache_hierarchy *h, struct at at)
{
	return h->at[at.core][at.side][at.depth];
}

static bool is_last(const struct cache_hierarchy *h, struct at at)
{
	return at.depth + 1u == h->config.n_levels;
}

static bool below_is_exclusive(const struct cache_hierarchy *h, struct at at)
{
	return !is_last(h, at) && level_at(h, below(at))->geometry.inclusion == CACHE_EXCLUSIVE;
}

/* Writes `bytes` of a dirty line back to the level at `at`, or to memory. */
static void write_back(struct cache_hierarchy *h, struct at at, uint64_t address, uint64_t bytes)
{
	for (; at.depth < h->config.n_levels; at.depth++) {
		struct cache_level *level = level_at(h, at);
		uint64_t *entry = cache_level_find(level, address & level->line_mask);

		if (entry && !level->geometry.write_through) {
			*entry |= CACHE_DIRTY;
			return;
		}
		level->counts.bytes_out += bytes;
	}
	h->bytes_written += bytes;
}

/* ---- victims ------------------------------------------------------------------------------- */

static void count_eviction(struct cache_level *level, uint64_t entry)
{
	level->counts.evictions++;
	level->counts.useless += (entry & CACHE_PREFETCHED) != 0;
}

/* Removes the lines within a piece of memory from a level. Returns the flags of their entries. */
static unsigned remove_within(struct cache_level *level, uint64_t address, uint64_t bytes)
{
	unsigned flags = 0;

	for (uint64_t line = address; line < address + bytes; line += level->geometry.line) {
		uint64_t entry = cache_level_remove(level, line);

		level->counts.invalidations += entry != 0;
		level->counts.useless += (entry & CACHE_PREFETCHED) != 0;
		flags |= entry & (CACHE_VALID | CACHE_DIRTY);
	}
	return flags;
}

/* Removes the lines of a core's levels above `depth`. Returns the flags of their entries. */
static unsigned remove_above(struct cache_hierarchy *h, unsigned core, unsigned depth,
			     uint64_t address, uint64_t bytes)
{
	unsigned flags = 0;

	for (unsigned d = 0; d < depth; d++) {
		flags |= remove_within(h->at[core][0][d], address, bytes);
		if (d < h->config.n_split)
			flags |= remove_within(h->at[core][1][d], address, bytes);
	}
	return flags;
}

/* Removes the victim of an inclusive level from all levels above. */
static unsigned back_invalidate(struct cache_hierarchy *h, struct at at, uint64_t line,
				uint64_t bytes)
{
	bool shared = at.depth + h->config.n_shared >= h->config.n_levels;
	unsigned first = shared ? 0 : at.core, end = shared ? h->config.n_cores : at.core + 1u;
	unsigned flags = 0;

	for (unsigned core = first; core < end; core++)
		flags |= remove_above(h, core, at.depth, line, bytes);
	return flags & CACHE_DIRTY;
}

static void fill_victim(struct cache_hierarchy *h, struct at at, uint64_t entry);

/* Disposes of an entry that left the level at `at`. */
static void evict(struct cache_hierarchy *h, struct at at, uint64_t entry)
{
	struct cache_level *level = level_at(h, at);
	uint64_t line = entry & ~(uint64_t)CACHE_FLAGS, bytes = level->geometry.line;

	count_eviction(level, entry);
	if (level->geometry.inclusion == CACHE_INCLUSIVE)
		entry |= back_invalidate(h, at, line, bytes);
	level->counts.write_backs += (entry & CACHE_DIRTY) != 0;
	if (below_is_exclusive(h, at)) {
		level->counts.bytes_out += bytes;
		fill_victim(h, below(at), entry);
	} else if (entry & CACHE_DIRTY) {
		level->counts.bytes_out += bytes;
		write_back(h, below(at), line, bytes);
	}
}

/* Takes a victim of the level above into an exclusive level. */
static void fill_victim(struct cache_hierarchy *h, struct at at, uint64_t victim)
{
	struct cache_level *level = level_at(h, at);
	uint64_t line = victim & ~(uint64_t)CACHE_FLAGS;
	uint64_t *entry = cache_level_touch(level, line, false);
	uint64_t evicted;

	level->counts.victims++;
	if (entry) {
		*entry |= victim & CACHE_DIRTY;
		return;
	}
	evicted = cache_level_fill(level, line, victim & CACHE_DIRTY);
	if (evicted)
		evict(h, at, evicted);
}

static void fill(struct cache_hierarchy *h, struct at at, uint64_t line, unsigned flags)
{
	struct cache_level *level = level_at(h, at);
	uint64_t evicted = cache_level_fill(level, line, flags);

	if (evicted)
		evict(h, at, evicted);
}

/* ---- demand lookups ------------------------------------------------------------------------ */

static void report_lookup(const struct cache_hierarchy *h, struct at at, uint64_t line, bool hit)
{
	const struct cache_observer *observer = h->observer;

	if (!(observer->depths >> at.depth & 1) || (hit && !observer->hits))
		return;
	observer->lookup(observer->opaque, &(struct cache_lookup){
						   .line = line,
						   .depth = at.depth,
						   .kind = at.kind,
						   .core = at.core,
						   .instructions = at.side,
						   .hit = hit,
						   .access = h->access,
						   .origin = h->origin,
					   });
}

/* Counts and reports a demand lookup. Returns the entry, which is touched, or NULL. */
static uint64_t *look_up(struct cache_hierarchy *h, struct at at, uint64_t line)
{
	struct cache_level *level = level_at(h, at);
	uint64_t *entry = cache_level_touch(level, line, true);

	level->counts.lookups[at.kind]++;
	level->counts.misses[at.kind] += !entry;
	if (h->observer)
		report_lookup(h, at, line, entry != NULL);
	if (entry && *entry & CACHE_PREFETCHED) {
		*entry &= ~(uint64_t)CACHE_PREFETCHED;
		level->counts.useful++;
	}
	return entry;
}

/* Reads a line for the level above `at`. Returns CACHE_DIRTY if the line moved there and is dirty. */
static unsigned read_line(struct cache_hierarchy *h, struct at at, uint64_t address, uint64_t bytes)
{
	if (at.depth == h->config.n_levels) {
		h->bytes_read += bytes;
		return 0;
	}
	struct cache_level *level = level_at(h, at);
	uint64_t line = address & level->line_mask;
	bool exclusive = level->geometry.inclusion == CACHE_EXCLUSIVE;
	uint64_t *entry = look_up(h, at, line);
	unsigned dirty;

	if (entry)
		return exclusive ? cache_level_remove(level, line) & CACHE_DIRTY : 0;
	level->counts.bytes_in += exclusive ? bytes : level->geometry.line;
	dirty = read_line(h, below(at), line, exclusive ? bytes : level->geometry.line);
	if (exclusive)
		return dirty;
	fill(h, at, line, dirty);
	return 0;
}

/* Passes a write on to the level at `at`. */
static void write_through(struct cache_hierarchy *h, struct at at, uint64_t address, uint64_t bytes)
{
	for (; at.depth < h->config.n_levels; at.depth++) {
		struct cache_level *level = level_at(h, at);
		const struct cache_geometry *g = &level->geometry;
		uint64_t line = address & level->line_mask;
		uint64_t *entry = cache_level_touch(level, line, true);

		level->counts.writes++;
		level->counts.write_misses += !entry;
		if (!entry && !g->no_allocate && g->inclusion != CACHE_EXCLUSIVE) {
			level->counts.bytes_in += g->line;
			fill(h, at, line, read_line(h, below(at), line, g->line));
			entry = cache_level_find(level, line);
		}
		if (entry && !g->write_through) {
			*entry |= h->config.pages ? 0 : CACHE_DIRTY;
			return;
		}
		level->counts.bytes_out += bytes;
	}
	h->bytes_written += bytes;
}

/* Returns true if level 1 has the line. `bytes`: of the access, in the line. */
static bool access_line(struct cache_hierarchy *h, struct at at, uint64_t address, uint64_t bytes)
{
	struct cache_level *level = level_at(h, at);
	const struct cache_geometry *g = &level->geometry;
	uint64_t line = address & level->line_mask;
	uint64_t *entry = look_up(h, at, line);
	bool hit = entry != NULL, writes = at.kind == CACHE_STORE && !h->config.pages;
	unsigned dirty = writes && !g->write_through ? CACHE_DIRTY : 0;

	if (hit) {
		*entry |= dirty;
	} else if (writes && g->no_allocate) {
		level->counts.bytes_out += bytes;
		write_through(h, below(at), address, bytes);
		return false;
	} else {
		level->counts.bytes_in += g->line;
		dirty |= read_line(h, below(at), line, g->line);
		fill(h, at, line, dirty);
	}
	if (writes && g->write_through) {
		level->counts.bytes_out += bytes;
		write_through(h, below(at), address, bytes);
	}
	return hit;
}

/* ---- accesses ------------------------------------------------------------------------------ */

static void access_lines(struct cache_hierarchy *h, const struct cache_access *a)
{
	struct at at = { .core = a->core, .side = a->kind == CACHE_FETCH, .kind = a->kind };
	struct cache_level *level = level_at(h, at);
	uint64_t address = a->address, left = a->size ? a->size : 1;
	uint64_t misses = 0;

	h->crossings[a->kind] += ((address + left - 1) & level->line_mask) !=
				 (address & level->line_mask);
	while (left) {
		uint64_t room = level->geometry.line - (address & ~level->line_mask);
		uint64_t bytes = left < room ? left : room;

		misses += !access_line(h, at, address, bytes);
		address += bytes;
		left -= bytes;
	}
	level->counts.lookups[a->kind] += a->count - 1u;
	h->crossing_misses[a->kind] += misses > 1 ? misses - 1 : 0;
}

void cache_hierarchy_feed(struct cache_hierarchy *h, const struct cache_access *accesses,
			  const struct cache_origin *origins, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		h->access = &accesses[i];
		h->origin = origins ? &origins[i] : NULL;
		access_lines(h, &accesses[i]);
	}
}

/* ---- coherence ----------------------------------------------------------------------------- */

unsigned cache_hierarchy_invalidate(struct cache_hierarchy *h, unsigned core, uint64_t address)
{
	unsigned depth = h->config.n_levels - h->config.n_shared;
	struct at at = { .core = core, .depth = depth };
	uint64_t bytes = h->config.data[0].line;
	unsigned flags = remove_above(h, core, depth, address & -bytes, bytes);

	if (flags & CACHE_DIRTY)
		write_back(h, at, address, bytes);
	return flags;
}

unsigned cache_hierarchy_clean(struct cache_hierarchy *h, unsigned core, uint64_t address)
{
	unsigned depth = h->config.n_levels - h->config.n_shared, flags = 0;
	struct at at = { .core = core, .depth = depth };

	for (unsigned d = 0; d < depth; d++) {
		struct cache_level *level = h->at[core][0][d];
		uint64_t *entry = cache_level_find(level, address & level->line_mask);

		flags |= entry ? *entry & (CACHE_VALID | CACHE_DIRTY) : 0;
		if (entry)
			*entry &= ~(uint64_t)CACHE_DIRTY;
	}
	if (flags & CACHE_DIRTY)
		write_back(h, at, address, h->config.data[0].line);
	return flags;
}
