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

#define COUNT_COLUMNS                                                                  \
	LEVEL_COLUMNS, { "lookups", REPORT_U64, "" }, { "misses", REPORT_U64, "" },    \
		{ "miss_ratio_percent", REPORT_F64, "" }, { "mpki", REPORT_F64, "" },  \
		{ "fetch_misses", REPORT_U64, "" }, { "load_misses", REPORT_U64, "" }, \
		{ "store_misses", REPORT_U64, "" }, { "evictions", REPORT_U64, "" },   \
	{                                                                              \
		"write_backs", REPORT_U64, ""                                          \
	}
#define COUNTS(level, instructions)                                                               \
	LEVEL(level), (level)->lookups, (level)->misses,                                          \
		percent((level)->misses, (level)->lookups),                                       \
		per_thousand((level)->misses, instructions), (level)->counts.misses[CACHE_FETCH], \
		(level)->counts.misses[CACHE_LOAD], (level)->counts.misses[CACHE_STORE],          \
		(level)->counts.evictions, (level)->counts.write_backs

static const struct report_column count_columns[] = { COUNT_COLUMNS, { NULL, 0, NULL } };
const struct report_column cache_row_columns[] = {
	ANALYZER_SPAN_COLUMNS,
	COUNT_COLUMNS,
	{ NULL, 0, NULL },
};

static void add_counts(void *opaque, const struct table_level *level)
{
	const struct destination *to = opaque;

	report_row(to->report, COUNTS(level, to->instructions));
}

void cache_tables(struct cache_hierarchy *const *hierarchies, size_t count, uint64_t instructions,
		  struct report *report)
{
	struct destination to = { .report = report, .instructions = instructions };

	report_table(report, "levels", count_columns);
	each_level(hierarchies, count, add_counts, &to);
}

static void add_row(void *opaque, const struct table_level *level)
{
	const struct destination *to = opaque;

	report_row(to->report, ANALYZER_SPAN(to->span), COUNTS(level, to->span->instructions));
}

void cache_rows(struct cache_hierarchy *const *hierarchies, size_t count,
		const struct analyzer_span *span, struct report *report)
{
	struct destination to = { .report = report, .span = span };

	each_level(hierarchies, count, add_row, &to);
}
