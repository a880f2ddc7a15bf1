/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/flow.h"

#include "analyzers/cache/prefetch.h"

static uint64_t line_of(uint64_t entry)
{
	return entry & ~(uint64_t)CACHE_FLAGS;
}

static bool below_is_exclusive(const struct cache_hierarchy *h, struct cache_place at)
{
	struct cache_place below = cache_below(at);

	return below.depth < h->config.n_levels &&
	       cache_level_at(h, below)->geometry.inclusion == CACHE_EXCLUSIVE;
}

/* ---- requests to a level with OPT ----------------------------------------------------------- */

/* Keeps a request for later if the level replaces by OPT. Returns false if it does not. */
static bool defer(struct cache_hierarchy *h, struct cache_place at, enum cache_request_type type,
		  uint64_t address, uint64_t bytes)
{
	if (!h->logs[at.depth])
		return false;
	cache_log_append(h->logs[at.depth],
			 (struct cache_request){ .address = address,
						 .bytes = bytes,
						 .type = type,
						 .core = at.core,
						 .side = at.side,
						 .kind = at.kind },
			 h->observer ? h->access : NULL, h->origin);
	return true;
}

/* ---- write-backs --------------------------------------------------------------------------- */

void cache_write_back(struct cache_hierarchy *h, struct cache_place at, uint64_t address,
		      uint64_t bytes)
{
	for (; at.depth < h->config.n_levels; at.depth++) {
		struct cache_level *level = cache_level_at(h, at);
		uint64_t *entry;

		if (defer(h, at, CACHE_WRITE_BACK, address, bytes))
			return;
		entry = cache_level_find(level, address & level->line_mask);
		if (entry && !level->geometry.write_through) {
			*entry |= CACHE_DIRTY;
			return;
		}
		level->counts.bytes_out += bytes;
	}
	h->bytes_written += bytes;
}

/* ---- victims ------------------------------------------------------------------------------- */

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

/*
 * Removes the lines of a piece of memory from the levels of a core above a depth. Returns the flags
 * of their entries, or-ed.
 */
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

/* Removes the victim of an inclusive level from all levels above. Returns CACHE_DIRTY or 0. */
static unsigned back_invalidate(struct cache_hierarchy *h, struct cache_place at, uint64_t line,
				uint64_t bytes)
{
	bool shared = cache_is_shared(h, at.depth);
	unsigned first = shared ? 0 : at.core, end = shared ? h->config.n_cores : at.core + 1u;
	unsigned flags = 0;

	for (unsigned core = first; core < end; core++)
		flags |= remove_above(h, core, at.depth, line, bytes);
	return flags & CACHE_DIRTY;
}

static void take_victim(struct cache_hierarchy *h, struct cache_place at, uint64_t victim);

/* Disposes of an entry that left the level at `at`. */
static void evict(struct cache_hierarchy *h, struct cache_place at, uint64_t entry)
{
	struct cache_level *level = cache_level_at(h, at);
	uint64_t line = line_of(entry), bytes = level->geometry.line;

	level->counts.evictions++;
	level->counts.useless += (entry & CACHE_PREFETCHED) != 0;
	if (level->geometry.inclusion == CACHE_INCLUSIVE)
		entry |= back_invalidate(h, at, line, bytes);
	level->counts.write_backs += (entry & CACHE_DIRTY) != 0;
	if (below_is_exclusive(h, at)) {
		level->counts.bytes_out += bytes;
		take_victim(h, cache_below(at), entry);
	} else if (entry & CACHE_DIRTY) {
		level->counts.bytes_out += bytes;
		cache_write_back(h, cache_below(at), line, bytes);
	}
}

/* Takes a victim of the level above into an exclusive level. */
static void take_victim(struct cache_hierarchy *h, struct cache_place at, uint64_t victim)
{
	struct cache_level *level = cache_level_at(h, at);
	uint64_t *entry = cache_level_touch(level, line_of(victim), false);

	level->counts.victims++;
	if (entry)
		*entry |= victim & CACHE_DIRTY;
	else
		cache_fill(h, at, line_of(victim), victim & CACHE_DIRTY);
}

void cache_fill(struct cache_hierarchy *h, struct cache_place at, uint64_t line, unsigned flags)
{
	uint64_t evicted = cache_level_fill(cache_level_at(h, at), line, flags);

	if (evicted)
		evict(h, at, evicted);
}

/* ---- reads --------------------------------------------------------------------------------- */

static void report_lookup(const struct cache_hierarchy *h, struct cache_place at, uint64_t line,
			  bool hit)
{
	const struct cache_observer *observer = h->observer;

	if (!(observer->depths >> at.depth & 1) || (hit && !observer->hits))
		return;
	observer->lookup(observer->opaque,
			 &(struct cache_lookup){
				 .line = line,
				 .depth = at.depth,
				 .kind = at.kind,
				 .core = at.core,
				 .instructions = at.side && at.depth < h->config.n_split,
				 .hit = hit,
				 .access = h->access,
				 .origin = h->origin,
			 });
}

uint64_t *cache_look_up(struct cache_hierarchy *h, struct cache_place at, uint64_t line,
			bool *first_use)
{
	struct cache_level *level = cache_level_at(h, at);
	uint64_t *entry = cache_level_touch(level, line, true);

	level->counts.lookups[at.kind]++;
	level->counts.misses[at.kind] += !entry;
	if (h->observer)
		report_lookup(h, at, line, entry != NULL);
	*first_use = entry && *entry & CACHE_PREFETCHED;
	if (*first_use) {
		*entry &= ~(uint64_t)CACHE_PREFETCHED;
		level->counts.useful++;
	}
	return entry;
}

/* Looks a line up for a level above; a prefetcher's lookup is counted apart. */
static uint64_t *look_up_for(struct cache_hierarchy *h, struct cache_place at, uint64_t line,
			     enum cache_cause cause, bool *first_use)
{
	struct cache_level *level = cache_level_at(h, at);

	if (cause == CACHE_DEMAND)
		return cache_look_up(h, at, line, first_use);
	level->counts.prefetch_reads++;
	*first_use = false;
	return cache_level_touch(level, line, false);
}

/* Reads a line through an exclusive level, from which it moves up. */
static unsigned read_exclusive(struct cache_hierarchy *h, struct cache_place at, uint64_t line,
			       enum cache_cause cause)
{
	struct cache_level *level = cache_level_at(h, at);
	bool first_use;

	if (look_up_for(h, at, line, cause, &first_use))
		return cache_level_remove(level, line) & CACHE_DIRTY;
	level->counts.bytes_in += level->geometry.line;
	return cache_read(h, cache_below(at), line, level->geometry.line, cause);
}

unsigned cache_read(struct cache_hierarchy *h, struct cache_place at, uint64_t address,
		    uint64_t bytes, enum cache_cause cause)
{
	if (at.depth == h->config.n_levels) {
		h->bytes_read += bytes;
		return 0;
	}
	if (defer(h, at, cause == CACHE_DEMAND ? CACHE_READ : CACHE_PREFETCH, address, bytes))
		return 0;
	struct cache_level *level = cache_level_at(h, at);
	uint64_t line = address & level->line_mask;
	bool first_use, hit;

	if (level->geometry.inclusion == CACHE_EXCLUSIVE)
		return read_exclusive(h, at, line, cause);
	hit = look_up_for(h, at, line, cause, &first_use);
	if (!hit) {
		level->counts.bytes_in += level->geometry.line;
		cache_fill(h, at, line,
			   cache_read(h, cache_below(at), line, level->geometry.line, cause));
	}
	if (cause == CACHE_DEMAND && level->geometry.prefetch)
		cache_prefetch(h, at, line, hit, first_use);
	return 0;
}

/* ---- writes -------------------------------------------------------------------------------- */

void cache_write_through(struct cache_hierarchy *h, struct cache_place at, uint64_t address,
			 uint64_t bytes)
{
	for (; at.depth < h->config.n_levels; at.depth++) {
		struct cache_level *level = cache_level_at(h, at);
		const struct cache_geometry *g = &level->geometry;
		uint64_t line = address & level->line_mask;
		uint64_t *entry;

		if (defer(h, at, CACHE_WRITE, address, bytes))
			return;
		entry = cache_level_touch(level, line, true);
		level->counts.writes++;
		level->counts.write_misses += !entry;
		if (!entry && !g->no_allocate && g->inclusion != CACHE_EXCLUSIVE) {
			level->counts.bytes_in += g->line;
			cache_fill(h, at, line,
				   cache_read(h, cache_below(at), line, g->line, CACHE_DEMAND));
			entry = cache_level_find(level, line);
		}
		if (entry && !g->write_through) {
			*entry |= CACHE_DIRTY;
			return;
		}
		level->counts.bytes_out += bytes;
	}
	h->bytes_written += bytes;
}

/* ---- prefetches ---------------------------------------------------------------------------- */

static void prefetch_line(struct cache_hierarchy *h, struct cache_place at, uint64_t line)
{
	struct cache_level *level = cache_level_at(h, at);
	unsigned dirty;

	if (cache_level_find(level, line))
		return;
	if (h->coherence)
		h->coherence->before(h->coherence->opaque, at.core, line, 0, CACHE_LOAD);
	level->counts.prefetches++;
	level->counts.bytes_in += level->geometry.line;
	dirty = cache_read(h, cache_below(at), line, level->geometry.line, CACHE_PREFETCH_READ);
	cache_fill(h, at, line, dirty | CACHE_PREFETCHED);
}

void cache_prefetch(struct cache_hierarchy *h, struct cache_place at, uint64_t line, bool hit,
		    bool first_use)
{
	struct cache_level *level = cache_level_at(h, at);
	uint64_t next[CACHE_MAX_DISTANCE];
	unsigned count = 0;

	if (level->geometry.prefetch != CACHE_STRIDE)
		count = cache_predict(level, line, hit, first_use, next);
	else if (at.depth)
		count = cache_predict_stride(level, line >> CACHE_PREFETCH_PAGE_SHIFT, line, next);
	for (unsigned i = 0; i < count; i++)
		prefetch_line(h, at, next[i]);
}

void cache_prefetch_access(struct cache_hierarchy *h, struct cache_place at, uint64_t pc,
			   uint64_t address)
{
	uint64_t next;

	if (cache_predict_stride(cache_level_at(h, at), pc, address, &next))
		prefetch_line(h, at, next);
}

/* ---- coherence ----------------------------------------------------------------------------- */

unsigned cache_hierarchy_invalidate(struct cache_hierarchy *h, unsigned core, uint64_t address)
{
	unsigned depth = h->config.n_levels - h->config.n_shared;
	struct cache_place at = { .core = core, .depth = depth };
	uint64_t bytes = h->config.data[0].line;
	unsigned flags = remove_above(h, core, depth, address & -bytes, bytes);

	if (flags & CACHE_DIRTY)
		cache_write_back(h, at, address, bytes);
	return flags;
}

unsigned cache_hierarchy_clean(struct cache_hierarchy *h, unsigned core, uint64_t address)
{
	unsigned depth = h->config.n_levels - h->config.n_shared, flags = 0;
	struct cache_place at = { .core = core, .depth = depth };

	for (unsigned d = 0; d < depth; d++) {
		struct cache_level *level = h->at[core][0][d];
		uint64_t *entry = cache_level_find(level, address & level->line_mask);

		flags |= entry ? *entry & (CACHE_VALID | CACHE_DIRTY) : 0;
		if (entry)
			*entry &= ~(uint64_t)CACHE_DIRTY;
	}
	if (flags & CACHE_DIRTY)
		cache_write_back(h, at, address, h->config.data[0].line);
	return flags;
}
