/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/simulate.h"

#include "analyzers/cache/flow.h"
#include "cli/common/checked.h"

/* Returns true if level 1 had the line. `bytes`: of the access, in the line. */
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

/*
 * Keeps the access to a line for later, unless it only repeats the access before. further: an
 * earlier line of the access was kept. Returns true if this line was kept.
 */
static bool defer_access(struct cache_hierarchy *h, struct cache_place at, uint64_t address,
			 uint64_t bytes, bool further)
{
	const struct cache_observer *observer = h->observer;
	struct cache_request request = {
		.address = address,
		.bytes = bytes,
		.type = further ? CACHE_ACCESS_MORE : CACHE_ACCESS,
		.core = at.core,
		.side = at.side && h->config.n_split,
		.kind = at.kind,
		.dirties = at.kind == CACHE_STORE && !h->config.pages,
	};

	if (!(observer && observer->hits && observer->depths & 1) &&
	    cache_log_merges(h->logs[0], cache_level_at(h, at), &request))
		return false;
	cache_log_append(h->logs[0], request, observer ? h->access : NULL, h->origin);
	return true;
}

/* Returns true if the line of an address belongs to the hierarchy, or to this part of it. */
static inline bool is_own(const struct cache_hierarchy *h, uint64_t address)
{
	return (address >> h->part_shift & h->part_mask) == h->part;
}

/* Counts the misses of an access of several lines. number: of the access, in its batch. */
static void count_crossing(struct cache_hierarchy *h, const struct cache_access *a, size_t number,
			   uint64_t misses)
{
	h->crossings[a->kind] += is_own(h, a->address);
	if (!misses)
		return;
	if (!h->part_mask) {
		h->crossing_misses[a->kind] += misses - 1;
		return;
	}
	CHECKED_RESERVE(h->crossed, h->crossed.count + 1);
	h->crossed.at[h->crossed.count++] = (struct cache_crossed){ number, misses };
}

/* Lets the stride prefetcher of level 1 see the current access. */
static void predict_stride(struct cache_hierarchy *h, const struct cache_access *a)
{
	struct cache_place at = { .core = a->core, .kind = a->kind };

	cache_prefetch_access(h, at, h->origin->pc, a->address);
}

/* number: of the access, in its batch. */
static void access_lines(struct cache_hierarchy *h, const struct cache_access *a, size_t number)
{
	struct cache_place at = { .core = a->core,
				  .side = a->kind == CACHE_FETCH,
				  .kind = a->kind };
	struct cache_level *level = cache_level_at(h, at);
	uint64_t address = a->address, left = a->size ? a->size : 1;
	uint64_t misses = 0;
	bool kept = false;

	bool crosses = ((address + left - 1) & level->line_mask) != (address & level->line_mask);

	while (left) {
		uint64_t room = level->geometry.line - (address & ~level->line_mask);
		uint64_t bytes = left < room ? left : room;

		if (h->logs[0])
			kept |= defer_access(h, at, address, bytes, kept);
		else if (is_own(h, address))
			misses += !access_line(h, at, address, bytes);
		address += bytes;
		left -= bytes;
	}
	if (level->geometry.prefetch == CACHE_STRIDE && a->kind != CACHE_FETCH)
		predict_stride(h, a);
	if (h->logs[0])
		h->logs[0]->merged[at.side && h->config.n_split][a->kind] += a->count - 1u;
	else
		level->counts.lookups[a->kind] += a->count - 1u;
	if (crosses)
		count_crossing(h, a, number, misses);
}

/* ---- hits of level 1 in the usual case ----------------------------------------------------- */

/* Level 1 as accesses of one kind see it, if hits change only the order of a set, and `strides`. */
struct quick_level {
	struct cache_level *level; /* of the first core; NULL: hits change more */
	bool observed;             /* hits are reported to the observer */
	bool strides;              /* a stride prefetcher sees the accesses */
	uint64_t dirty;            /* flags of a line that hits */
};

static struct quick_level quick_level(const struct cache_hierarchy *h, enum cache_kind kind)
{
	struct cache_level *level = h->at[0][kind == CACHE_FETCH][0];
	const struct cache_geometry *g = &level->geometry;
	const struct cache_observer *observer = h->observer;
	bool writes = kind == CACHE_STORE && !h->config.pages;
	bool observed = observer && observer->hits && observer->depths & 1;

	bool strides = g->prefetch == CACHE_STRIDE && kind != CACHE_FETCH;

	if (h->logs[0] || g->policy != CACHE_LRU || (writes && g->write_through) ||
	    (observed && !observer->hit) || (h->coherence && !h->coherence->is_quiet))
		return (struct quick_level){ NULL, observed, strides, 0 };
	return (struct quick_level){ level, observed, strides, writes ? CACHE_DIRTY : 0 };
}

/* Touches a line if it is there and was not prefetched. Returns false if nothing was done. */
static inline bool hits(struct cache_level *level, uint64_t dirty, uint64_t line)
{
	uint64_t *set = &level->entries[cache_set_number(level, line) * level->ways];
	uint64_t wanted = line | CACHE_VALID, entry;
	uint32_t way = 0, ways = level->ways;

	while ((set[way] & ~(uint64_t)CACHE_DIRTY) != wanted)
		if (++way == ways)
			return false;
	entry = set[way] | dirty;
	for (; way; way--)
		set[way] = set[way - 1];
	set[0] = entry;
	return true;
}

/* Returns true if an access is to one line, which is in another part. */
static inline bool is_foreign(const struct cache_hierarchy *h, const struct cache_access *a)
{
	uint64_t first = a->address >> h->part_shift;
	uint64_t last = (a->address + (a->size ? a->size : 1) - 1) >> h->part_shift;

	return h->part_mask && first == last && (first & h->part_mask) != h->part;
}

static inline bool access_hits(struct cache_level *level, uint64_t dirty,
			       const struct cache_access *a)
{
	uint64_t mask = level->line_mask, line = a->address & mask;

	if (((a->address + a->size - 1) & mask) != line || !hits(level, dirty, line))
		return false;
	level->counts.lookups[a->kind] += a->count;
	return true;
}

/* Does the same where others see the accesses: the observer, and other cores. */
static bool seen_access_hits(const struct cache_hierarchy *h, const struct quick_level *quick,
			     const struct cache_access *a)
{
	const struct cache_coherence *coherence = h->coherence;
	struct cache_level *level = h->at[a->core][a->kind == CACHE_FETCH][0];

	if (coherence && !coherence->is_quiet(coherence->opaque, a->core, a->address, a->kind))
		return false;
	if (!access_hits(level, quick->dirty, a))
		return false;
	if (quick->observed)
		h->observer->hit(h->observer->opaque, level, a->address & level->line_mask);
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
	bool seen = h->coherence || h->config.n_cores > 1 || quick[CACHE_LOAD].observed;

	for (size_t i = 0; i < count; i++) {
		const struct cache_access *a = &accesses[i];
		const struct quick_level *q = &quick[a->kind];

		if (is_foreign(h, a))
			continue;
		h->access = a;
		h->origin = origins ? &origins[i] : NULL;
		if (!q->level ||
		    !(seen ? seen_access_hits(h, q, a) : access_hits(q->level, q->dirty, a)))
			access_lines(h, a, i);
		else if (q->strides)
			predict_stride(h, a);
	}
}

/* ---- levels with OPT ----------------------------------------------------------------------- */

static unsigned first_log(const struct cache_hierarchy *h)
{
	unsigned depth = 0;

	while (depth < h->config.n_levels && !h->logs[depth])
		depth++;
	return depth;
}

/* Forgets the counts from a depth on, those of levels with OPT when these are simulated. */
static void clear_from(struct cache_hierarchy *h, unsigned depth)
{
	for (; depth < h->config.n_levels && !h->logs[depth]; depth++)
		for (unsigned core = 0; core < h->config.n_cores; core++)
			for (unsigned side = 0; side < 2; side++)
				h->at[core][side][depth]->counts = (struct cache_counts){ 0 };
	if (depth < h->config.n_levels)
		cache_log_append(h->logs[depth], (struct cache_request){ .type = CACHE_CLEAR },
				 h->observer ? &(struct cache_access){ 0 } : NULL, NULL);
	else
		h->bytes_read = h->bytes_written = 0;
}

void cache_hierarchy_clear(struct cache_hierarchy *h)
{
	for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++) {
		h->crossings[kind] = h->crossing_misses[kind] = 0;
		for (unsigned side = 0; h->logs[0] && side < 2; side++)
			h->logs[0]->merged[side][kind] = 0;
	}
	clear_from(h, 0);
}

void cache_hierarchy_limit_logs(struct cache_hierarchy *h, size_t bytes)
{
	for (unsigned depth = 0; depth < h->config.n_levels; depth++)
		if (h->logs[depth])
			h->logs[depth]->most_bytes = bytes;
}

/* Simulates an access to a line of level 1. *missed: an earlier line of the access missed. */
static void replay_access(struct cache_hierarchy *h, struct cache_place at,
			  const struct cache_request *r, bool *missed)
{
	struct cache_level *level = cache_level_at(h, at);
	bool hit = access_line(h, at, r->address, r->bytes);
	uint64_t *entry = r->dirties && !level->geometry.write_through
				  ? cache_level_find(level, r->address & level->line_mask)
				  : NULL;

	if (entry)
		*entry |= CACHE_DIRTY;
	if (r->type == CACHE_ACCESS)
		*missed = false;
	h->crossing_misses[r->kind] += !hit && *missed;
	*missed |= !hit;
}

static void replay_request(struct cache_hierarchy *h, unsigned depth, const struct cache_request *r,
			   bool *missed)
{
	struct cache_place at = {
		.core = r->core,
		.side = r->side,
		.kind = r->kind,
		.depth = depth,
	};

	switch (r->type) {
	case CACHE_ACCESS:
	case CACHE_ACCESS_MORE: replay_access(h, at, r, missed); break;
	case CACHE_READ: cache_read(h, at, r->address, r->bytes, CACHE_DEMAND); break;
	case CACHE_PREFETCH: cache_read(h, at, r->address, r->bytes, CACHE_PREFETCH_READ); break;
	case CACHE_WRITE: cache_write_through(h, at, r->address, r->bytes); break;
	case CACHE_WRITE_BACK: cache_write_back(h, at, r->address, r->bytes); break;
	case CACHE_CLEAR: clear_from(h, depth); break;
	}
}

/* Simulates the requests to a depth. */
static void replay(struct cache_hierarchy *h, unsigned depth, const struct cache_log *log,
		   const uint32_t *next_uses)
{
	bool missed = false;

	for (size_t i = 0; i < log->requests.count; i++) {
		const struct cache_request *r = &log->requests.at[i];
		const struct cache_context *context = log->contexts.count ? &log->contexts.at[i]
									  : NULL;

		h->access = context ? &context->access : NULL;
		h->origin = context && context->origin.block ? &context->origin : NULL;
		h->at[r->core][r->side][depth]->next_use = next_uses[i];
		replay_request(h, depth, r, &missed);
	}
}

static void add_merged(struct cache_hierarchy *h, const struct cache_log *log)
{
	for (unsigned side = 0; side < 2; side++)
		for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++)
			h->at[0][side][0]->counts.lookups[kind] += log->merged[side][kind];
}

bool cache_hierarchy_finish(struct cache_hierarchy *h)
{
	bool whole = true;

	for (unsigned depth = first_log(h); depth < h->config.n_levels; depth = first_log(h)) {
		struct cache_log *log = h->logs[depth];
		uint32_t *next_uses = cache_log_next_uses(log, h->at, depth);

		h->logs[depth] = NULL;
		replay(h, depth, log, next_uses);
		if (!depth)
			add_merged(h, log);
		whole &= !log->full;
		cache_log_free(log);
		free(next_uses);
	}
	return whole;
}
