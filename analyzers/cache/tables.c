/* SPDX-License-Identifier: MIT */
#include "analyzers/cache/tables.h"

#include <math.h>

/* A level of a hierarchy, all cores' caches of it together. */
struct table_level {
	const struct cache_hierarchy *hierarchy;
	unsigned depth;
	bool instructions;
	const char *name;
	const struct cache_geometry *geometry;
	struct cache_counts counts;
	uint64_t lookups, misses;
};

static struct table_level level_of(const struct cache_hierarchy *h, unsigned depth,
				   bool instructions)
{
	const struct cache_config *c = &h->config;
	struct table_level level = {
		.hierarchy = h,
		.depth = depth,
		.instructions = instructions,
		.name = cache_level_name(c, depth, instructions),
		.geometry = instructions ? &c->instructions[depth] : &c->data[depth],
		.counts = cache_hierarchy_counts(h, depth, instructions),
	};

	for (unsigned kind = 0; kind < N_CACHE_KINDS; kind++) {
		level.lookups += level.counts.lookups[kind];
		level.misses += level.counts.misses[kind];
	}
	return level;
}

/* Calls visit for each level of each hierarchy, from level 1 on, instructions first. */
static void each_level(struct cache_hierarchy *const *hierarchies, size_t count,
		       void (*visit)(void *opaque, const struct table_level *level), void *opaque)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned depth = 0; depth < hierarchies[i]->config.n_levels; depth++)
			for (int side = depth < hierarchies[i]->config.n_split; side >= 0; side--) {
				struct table_level level = level_of(hierarchies[i], depth, side);

				visit(opaque, &level);
			}
}

struct destination {
	struct report *report;
	const struct analyzer_span *span;
	uint64_t instructions;
};

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : NAN;
}

static double per_thousand(uint64_t part, uint64_t all)
{
	return all ? 1000.0 * (double)part / (double)all : NAN;
}

#define LEVEL_COLUMNS                      \
	{ "caches", REPORT_STRING, "" },   \
	{                                  \
		"level", REPORT_STRING, "" \
	}
#define LEVEL(level) (level)->hierarchy->config.name, (level)->name

#define MISS_COLUMNS                                                                   \
	{ "lookups", REPORT_U64, "" }, { "misses", REPORT_U64, "" },                   \
		{ "miss_ratio_percent", REPORT_F64, "" }, { "mpki", REPORT_F64, "" },  \
		{ "fetch_misses", REPORT_U64, "" }, { "load_misses", REPORT_U64, "" }, \
	{                                                                              \
		"store_misses", REPORT_U64, ""                                         \
	}
#define MISSES(level, instructions)                                                               \
	(level)->lookups, (level)->misses, percent((level)->misses, (level)->lookups),            \
		per_thousand((level)->misses, instructions), (level)->counts.misses[CACHE_FETCH], \
		(level)->counts.misses[CACHE_LOAD], (level)->counts.misses[CACHE_STORE]

#define SIZE_COLUMNS                      \
	{ "size_bytes", REPORT_U64, "" }, \
	{                                 \
		"ways", REPORT_U64, ""    \
	}

/* ---- text ---------------------------------------------------------------------------------- */

static void add_misses(void *opaque, const struct table_level *level)
{
	const struct destination *to = opaque;

	report_row(to->report, LEVEL(level), level->geometry->size, level->geometry->ways,
		   MISSES(level, to->instructions));
}

static void add_traffic(void *opaque, const struct table_level *level)
{
	const struct destination *to = opaque;
	const struct cache_counts *c = &level->counts;

	if (!level->hierarchy->config.pages)
		report_row(to->report, LEVEL(level), c->bytes_in, c->bytes_out, c->evictions,
			   c->write_backs);
}

static void add_prefetches(void *opaque, const struct table_level *level)
{
	const struct destination *to = opaque;
	const struct cache_counts *c = &level->counts;

	if (c->prefetches)
		report_row(to->report, LEVEL(level), c->prefetches, c->useful, c->useless);
}

static void note_prefetches(void *opaque, const struct table_level *level)
{
	bool *any = opaque;

	*any |= level->counts.prefetches != 0;
}

static void note_caches(void *opaque, const struct table_level *level)
{
	bool *any = opaque;

	*any |= !level->hierarchy->config.pages;
}

static void text_tables(struct cache_hierarchy *const *hierarchies, size_t count,
			struct destination *to)
{
	static const struct report_column levels[] = {
		LEVEL_COLUMNS, SIZE_COLUMNS, MISS_COLUMNS, { NULL, 0, NULL }
	};
	static const struct report_column traffic[] = {
		LEVEL_COLUMNS,
		{ "from_below", REPORT_U64, "bytes" },
		{ "to_below", REPORT_U64, "bytes" },
		{ "evictions", REPORT_U64, "" },
		{ "write_backs", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	static const struct report_column prefetches[] = {
		LEVEL_COLUMNS,
		{ "prefetches", REPORT_U64, "" },
		{ "useful_prefetches", REPORT_U64, "" },
		{ "useless_prefetches", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	bool any_caches = false, any_prefetches = false;

	report_text_table(to->report, "levels", levels);
	each_level(hierarchies, count, add_misses, to);
	each_level(hierarchies, count, note_caches, &any_caches);
	if (any_caches) {
		report_text_table(to->report, "traffic", traffic);
		each_level(hierarchies, count, add_traffic, to);
	}
	each_level(hierarchies, count, note_prefetches, &any_prefetches);
	if (any_prefetches) {
		report_text_table(to->report, "prefetches", prefetches);
		each_level(hierarchies, count, add_prefetches, to);
	}
}

/* ---- JSON and CSV -------------------------------------------------------------------------- */

static const char *const policy_names[] = { "lru",   "fifo",  "plru",   "srrip",
					    "brrip", "drrip", "random", "opt" };
static const char *const inclusion_names[] = { "nine", "inclusive", "exclusive" };

static void add_counts(void *opaque, const struct table_level *level)
{
	const struct destination *to = opaque;
	const struct cache_geometry *g = level->geometry;
	const struct cache_counts *c = &level->counts;
	const struct cache_hierarchy *h = level->hierarchy;
	/* A unified level has the crossings of all kinds. */
	bool first = !level->depth, split = first && h->config.n_split;
	uint64_t crossings = 0, crossing_misses = 0;

	for (unsigned kind = 0; first && kind < N_CACHE_KINDS; kind++)
		if (!split || (kind == CACHE_FETCH) == level->instructions) {
			crossings += h->crossings[kind];
			crossing_misses += h->crossing_misses[kind];
		}
	report_row(to->report, LEVEL(level), g->size, g->ways, g->line, policy_names[g->policy],
		   inclusion_names[g->inclusion], MISSES(level, to->instructions),
		   c->lookups[CACHE_FETCH], c->lookups[CACHE_LOAD], c->lookups[CACHE_STORE],
		   crossings, crossing_misses, c->bytes_in, c->bytes_out, c->evictions,
		   c->write_backs, c->writes, c->write_misses, c->invalidations, c->victims,
		   c->prefetches, c->useful, c->useless, c->prefetch_reads);
}

static void data_tables(struct cache_hierarchy *const *hierarchies, size_t count,
			struct destination *to)
{
	static const struct report_column columns[] = {
		LEVEL_COLUMNS,
		SIZE_COLUMNS,
		{ "line_bytes", REPORT_U64, "" },
		{ "policy", REPORT_STRING, "" },
		{ "inclusion", REPORT_STRING, "" },
		MISS_COLUMNS,
		{ "fetch_lookups", REPORT_U64, "" },
		{ "load_lookups", REPORT_U64, "" },
		{ "store_lookups", REPORT_U64, "" },
		{ "crossings", REPORT_U64, "" },
		{ "crossing_misses", REPORT_U64, "" },
		{ "from_below", REPORT_U64, "bytes" },
		{ "to_below", REPORT_U64, "bytes" },
		{ "evictions", REPORT_U64, "" },
		{ "write_backs", REPORT_U64, "" },
		{ "writes", REPORT_U64, "" },
		{ "write_misses", REPORT_U64, "" },
		{ "invalidations", REPORT_U64, "" },
		{ "victims", REPORT_U64, "" },
		{ "prefetches", REPORT_U64, "" },
		{ "useful_prefetches", REPORT_U64, "" },
		{ "useless_prefetches", REPORT_U64, "" },
		{ "prefetch_reads", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};

	report_data_table(to->report, "levels", columns);
	each_level(hierarchies, count, add_counts, to);
}

void cache_report_tables(struct cache_hierarchy *const *hierarchies, size_t count,
			 uint64_t instructions, struct report *report)
{
	struct destination to = { .report = report, .instructions = instructions };

	text_tables(hierarchies, count, &to);
	data_tables(hierarchies, count, &to);
}

/* ---- intervals and threads ----------------------------------------------------------------- */

const struct report_column cache_row_columns[] = {
	ANALYZER_SPAN_COLUMNS,
	LEVEL_COLUMNS,
	MISS_COLUMNS,
	{ "from_below", REPORT_U64, "bytes" },
	{ "to_below", REPORT_U64, "bytes" },
	{ NULL, 0, NULL },
};

static void add_row(void *opaque, const struct table_level *level)
{
	const struct destination *to = opaque;

	report_row(to->report, ANALYZER_SPAN(to->span), LEVEL(level),
		   MISSES(level, to->span->instructions), level->counts.bytes_in,
		   level->counts.bytes_out);
}

void cache_report_rows(struct cache_hierarchy *const *hierarchies, size_t count,
		       const struct analyzer_span *span, struct report *report)
{
	struct destination to = { .report = report, .span = span };

	each_level(hierarchies, count, add_row, &to);
}
