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

void cache_hierarchy_feed(struct cache_hierarchy *h, const struct cache_access *accesses,
			  const struct cache_origin *origins, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		h->access = &accesses[i];
		h->origin = origins ? &origins[i] : NULL;
		access_lines(h, &accesses[i]);
	}
}
