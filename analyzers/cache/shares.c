/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/shares.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/cache/simulate.h"
#include "cli/common/checked.h"

void cache_share_init(struct cache_share *share, struct cache_hierarchy *hierarchy, unsigned number,
		      uint64_t which, uint64_t n)
{
	unsigned parts = cache_config_parts(&hierarchy->config,
					    n < UINT32_MAX ? (unsigned)n : UINT32_MAX);
	uint64_t part = (which + number) % n;

	*share = (struct cache_share){ .hierarchy = hierarchy, .is_empty = part >= parts };
	if (!share->is_empty)
		cache_hierarchy_divide(hierarchy, (unsigned)part, parts);
}

void cache_share_free(struct cache_share *share)
{
	free(share->crossings.at);
}

static void add_crossing(struct cache_share *share, struct share_crossing crossing)
{
	CHECKED_RESERVE(share->crossings, share->crossings.count + 1);
	share->crossings.at[share->crossings.count++] = crossing;
}

void cache_share_feed(struct cache_share *share, const struct cache_access *accesses,
		      const struct cache_origin *origins, size_t count)
{
	struct cache_hierarchy *h = share->hierarchy;

	if (share->is_empty)
		return;
	cache_hierarchy_feed(h, accesses, origins, count);
	for (size_t i = 0; i < h->crossed.count; i++)
		add_crossing(share, (struct share_crossing){
					    share->accesses + h->crossed.at[i].access,
					    h->crossed.at[i].misses,
					    accesses[h->crossed.at[i].access].kind,
				    });
	h->crossed.count = 0;
	share->accesses += count;
}

/* Merges two ascending lists; the misses of one access are added. */
static void merge_crossings(struct cache_share *share, const struct cache_share *other)
{
	struct cache_share merged = { .hierarchy = NULL };
	size_t a = 0, b = 0;

	while (a < share->crossings.count || b < other->crossings.count) {
		const struct share_crossing *x = &share->crossings.at[a];
		const struct share_crossing *y = &other->crossings.at[b];

		if (b == other->crossings.count ||
		    (a < share->crossings.count && x->access < y->access)) {
			add_crossing(&merged, *x);
			a++;
		} else if (a == share->crossings.count || y->access < x->access) {
			add_crossing(&merged, *y);
			b++;
		} else {
			add_crossing(&merged, *x);
			merged.crossings.at[merged.crossings.count - 1].misses += y->misses;
			a++;
			b++;
		}
	}
	free(share->crossings.at);
	memcpy(&share->crossings, &merged.crossings, sizeof(merged.crossings));
}

void cache_share_merge(struct cache_share *share, const struct cache_share *other)
{
	cache_hierarchy_add_counts(share->hierarchy, other->hierarchy);
	merge_crossings(share, other);
}

void cache_share_complete(struct cache_share *share)
{
	for (size_t i = 0; i < share->crossings.count; i++)
		share->hierarchy->crossing_misses[share->crossings.at[i].kind] +=
			share->crossings.at[i].misses - 1;
	share->crossings.count = 0;
}

/* ---- in files ----------------------------------------------------------------------------- */

enum { N_COUNTS = sizeof(struct cache_counts) / sizeof(uint64_t), N_GEOMETRY = 10 };

/* Lists what decides about the counts of a level. */
static void list_geometry(const struct cache_geometry *g, uint64_t numbers[N_GEOMETRY])
{
	numbers[0] = g->size;
	numbers[1] = g->ways;
	numbers[2] = g->line;
	numbers[3] = g->policy;
	numbers[4] = g->inclusion;
	numbers[5] = g->prefetch;
	numbers[6] = g->write_through | g->no_allocate << 1;
	numbers[7] = g->prefetch_distance;
	numbers[8] = g->psel_bits;
	numbers[9] = g->seed;
}

void cache_share_save(const struct cache_share *share, struct state_writer *writer)
{
	const struct cache_hierarchy *h = share->hierarchy;
	uint64_t last = 0, numbers[N_GEOMETRY];

	analyzer_put(writer, h->n_levels);
	for (unsigned i = 0; i < h->n_levels; i++) {
		list_geometry(&h->levels[i].geometry, numbers);
		analyzer_put_all(writer, numbers, N_GEOMETRY);
		analyzer_put_all(writer, (const uint64_t *)&h->levels[i].counts, N_COUNTS);
	}
	analyzer_put(writer, h->bytes_read);
	analyzer_put(writer, h->bytes_written);
	analyzer_put_all(writer, h->crossings, N_CACHE_KINDS);
	analyzer_put_all(writer, h->crossing_misses, N_CACHE_KINDS);
	analyzer_put(writer, share->crossings.count);
	for (size_t i = 0; i < share->crossings.count; i++) {
		const struct share_crossing *crossing = &share->crossings.at[i];

		analyzer_put(writer, crossing->access - last);
		analyzer_put(writer, crossing->misses);
		analyzer_put(writer, crossing->kind);
		last = crossing->access;
	}
}

static bool load_levels(struct cache_hierarchy *h, struct state_reader *reader)
{
	uint64_t numbers[N_GEOMETRY], expected[N_GEOMETRY];

	if (analyzer_take(reader) != h->n_levels)
		return false;
	for (unsigned i = 0; i < h->n_levels; i++) {
		analyzer_take_all(reader, numbers, N_GEOMETRY);
		list_geometry(&h->levels[i].geometry, expected);
		if (memcmp(numbers, expected, sizeof(numbers)))
			return false;
		analyzer_take_all(reader, (uint64_t *)&h->levels[i].counts, N_COUNTS);
	}
	return true;
}

bool cache_share_load(struct cache_share *share, struct state_reader *reader)
{
	struct cache_hierarchy *h = share->hierarchy;
	uint64_t n, access = 0;

	if (!load_levels(h, reader))
		return false;
	h->bytes_read = analyzer_take(reader);
	h->bytes_written = analyzer_take(reader);
	analyzer_take_all(reader, h->crossings, N_CACHE_KINDS);
	analyzer_take_all(reader, h->crossing_misses, N_CACHE_KINDS);
	n = analyzer_take_max(reader, analyzer_left(reader) / 3);
	for (uint64_t i = 0; i < n; i++) {
		struct share_crossing crossing = { .access = access += analyzer_take(reader) };

		crossing.misses = analyzer_take(reader);
		crossing.kind = (uint8_t)analyzer_take_max(reader, N_CACHE_KINDS - 1);
		add_crossing(share, crossing);
	}
	return true;
}
