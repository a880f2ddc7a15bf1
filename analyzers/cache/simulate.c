/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/simulate.h"

#include "analyzers/cache/flow.h"

/* Returns true if level 1 has the line. `bytes`: of the access, in the line. */
static bool access_line(struct cache_hierarchy *h, struct cache_place at, uint64_t address,
			uint64_t bytes)
{
	struct cache_level *level = cache_level_at(h, at);
	const struct cache_geometry *g = &level->geometry;
	uint64_t line = address & level->line_mask;
	bool first_use;
	uint64_t *entry;

	if (h->coherence)
		h->coherence->before(h->coherence->opaque, at.core, address, bytes, at.kind);
	entry = cache_look_up(h, at, line, &first_use);

	bool hit = entry != NULL, writes = at.kind == CACHE_STORE && !h->config.pages;
	unsigned dirty = writes && !g->write_through ? CACHE_DIRTY : 0;

	if (hit) {
		*entry |= dirty;
	} else if (writes && g->no_allocate) {
		level->counts.bytes_out += bytes;
		cache_write_through(h, cache_below(at), address, bytes);
		return false;
	} else {
		level->counts.bytes_in += g->line;
		dirty |= cache_read(h, cache_below(at), line, g->line, CACHE_DEMAND);
		cache_fill(h, at, line, dirty);
	}
	if (writes && g->write_through) {
		level->counts.bytes_out += bytes;
		cache_write_through(h, cache_below(at), address, bytes);
	}
	if (g->prefetch)
		cache_prefetch(h, at, line, hit, first_use);
	return hit;
}

static uint64_t pc_of(const struct cache_origin *origin)
{
	return origin->block->pc + origin->block->insns[origin->insn].offset;
}

static void access_lines(struct cache_hierarchy *h, const struct cache_access *a)
{
	struct cache_place at = { .core = a->core,
				  .side = a->kind == CACHE_FETCH,
				  .kind = a->kind };
	struct cache_level *level = cache_level_at(h, at);
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
	if (level->geometry.prefetch == CACHE_STRIDE && a->kind != CACHE_FETCH)
		cache_prefetch_access(h, at, pc_of(h->origin), a->address);
	level->counts.lookups[a->kind] += a->count - 1u;
	h->crossing_misses[a->kind] += misses > 1 ? misses - 1 : 0;
}

/* ---- hits of level 1 in the usual case ----------------------------------------------------- */

/* Level 1 as accesses of one kind see it, if hits change nothing but the order of a set. */
struct quick_level {
	struct cache_level *level; /* NULL: hits change more */
	uint64_t dirty;            /* flags of a line that hits */
};

static struct quick_level quick_level(const struct cache_hierarchy *h, enum cache_kind kind)
{
	struct cache_level *level = h->at[0][kind == CACHE_FETCH][0];
	const struct cache_geometry *g = &level->geometry;
	const struct cache_observer *observer = h->observer;
	bool writes = kind == CACHE_STORE && !h->config.pages;

	if (g->policy != CACHE_LRU || (g->prefetch == CACHE_STRIDE && kind != CACHE_FETCH) ||
	    h->coherence || h->config.n_cores > 1 || (writes && g->write_through) ||
	    (observer && observer->hits && observer->depths & 1))
		return (struct quick_level){ NULL, 0 };
	return (struct quick_level){ level, writes ? CACHE_DIRTY : 0 };
}

/* Touches a line if it is there and has never been prefetched. Returns false if nothing was done. */
static inline bool hits(struct quick_level quick, uint64_t line)
{
	struct cache_level *level = quick.level;
	uint64_t *set = &level->entries[cache_set_number(level, line) * level->ways];
	uint64_t wanted = line | CACHE_VALID, entry;
	uint32_t way = 0, ways = level->ways;

	while ((set[way] & ~(uint64_t)CACHE_DIRTY) != wanted)
		if (++way == ways)
			return false;
	entry = set[way] | quick.dirty;
	for (; way; way--)
		set[way] = set[way - 1];
	set[0] = entry;
	return true;
}

static inline bool access_hits(struct quick_level quick, const struct cache_access *a)
{
	uint64_t mask, line;

	if (!quick.level)
		return false;
	mask = quick.level->line_mask;
	line = a->address & mask;
	if (((a->address + a->size - 1) & mask) != line || !hits(quick, line))
		return false;
	quick.level->counts.lookups[a->kind] += a->count;
	return true;
}

void cache_hierarchy_feed(struct cache_hierarchy *h, const struct cache_access *accesses,
			  const struct cache_origin *origins, size_t count)
{
	const struct quick_level quick[N_CACHE_KINDS] = {
		quick_level(h, CACHE_FETCH),
		quick_level(h, CACHE_LOAD),
		quick_level(h, CACHE_STORE),
	};

	for (size_t i = 0; i < count; i++) {
		if (access_hits(quick[accesses[i].kind], &accesses[i]))
			continue;
		h->access = &accesses[i];
		h->origin = origins ? &origins[i] : NULL;
		access_lines(h, &accesses[i]);
	}
}
