/* SPDX-License-Identifier: MIT */
/* The tables of studies: kinds of misses, and groups. */
#include <math.h>
#include <stdio.h>

#include "analyzers/cache/study_table.h"
#include "cli/common/checked.h"

void study_table_row(const struct study_table *table, const struct report_cell *cells)
{
	report_row_of_cells(table->report, cells + table->unnamed);
}

void study_table_put(struct study_table table, void (*add_rows)(const struct study_table *table))
{
	if (table.studies->count > 1) {
		report_table(table.report, table.name, table.columns);
		add_rows(&table);
		return;
	}
	report_data_table(table.report, table.name, table.columns);
	add_rows(&table);
	table.unnamed = true;
	report_text_table(table.report, table.name, table.columns + 1);
	add_rows(&table);
}

static double ratio(double times, uint64_t part, uint64_t all)
{
	return all ? times * (double)part / (double)all : NAN;
}

/* Calls visit for each cache of a study's hierarchy, from level 1 on, instructions first. */
#define EACH_CACHE(study, depth, side)                                                 \
	for (unsigned depth = 0; depth < (study)->hierarchy->config.n_levels; depth++) \
		for (int side = depth < (study)->hierarchy->config.n_split; side >= 0; side--)

/* ---- kinds ------------------------------------------------------------------------------- */

#define KIND_COLUMNS                                                                \
	{ "cold", REPORT_U64, "" }, { "capacity", REPORT_U64, "" },                 \
		{ "conflict", REPORT_U64, "" }, { "true_sharing", REPORT_U64, "" }, \
	{                                                                           \
		"false_sharing", REPORT_U64, ""                                     \
	}

static void put_miss_counts(struct report_cell *cells, const struct cache_miss_counts *counts)
{
	for (unsigned i = 0; i < N_CACHE_MISSES; i++)
		cells[i] = report_integer_cell(counts->of[i]);
}

static void add_kinds(const struct study_table *table)
{
	for (size_t i = 0; i < table->studies->count; i++) {
		const struct cache_study *s = &table->studies->at[i];
		const struct cache_config *config = &s->hierarchy->config;

		EACH_CACHE(s, depth, side)
		{
			struct report_cell cells[2 + N_CACHE_MISSES] = {
				report_text_cell(config->name),
				report_text_cell(cache_level_name(config, depth, side)),
			};

			put_miss_counts(&cells[2], &s->kinds.counts[side][depth]);
			study_table_row(table, cells);
		}
	}
}

static const struct report_column kind_columns[] = {
	{ "caches", REPORT_STRING, "" },
	{ "level", REPORT_STRING, "" },
	KIND_COLUMNS,
	{ NULL, 0, NULL },
};

/* ---- groups ------------------------------------------------------------------------------ */

static const struct report_column group_columns[] = {
	{ "caches", REPORT_STRING, "" }, { "level", REPORT_STRING, "" },
	{ "misses", REPORT_U64, "" },    { "share_percent", REPORT_F64, "" },
	{ "mpki", REPORT_F64, "" },      KIND_COLUMNS,
};
enum { GROUP_COLUMNS = sizeof(group_columns) / sizeof(*group_columns) };

/* Adds the groups of one cache. */
static void add_cache_groups(const struct study_table *table, const struct cache_study *s,
			     unsigned depth, bool side)
{
	const struct cache_config *config = &s->hierarchy->config;
	struct report_cell cells[GROUP_COLUMNS + CACHE_KEY_COLUMNS];
	char *texts[CACHE_MOST_KEYS];
	uint64_t total;
	size_t count;
	struct cache_group_row *rows = cache_attribution_rows(&s->attribution, depth, side, &count,
							      &total);

	for (size_t i = 0; i < count && i < s->studies->options->top; i++) {
		const struct cache_group_row *row = &rows[i];

		cells[0] = report_text_cell(config->name);
		cells[1] = report_text_cell(cache_level_name(config, depth, side));
		cells[2] = report_integer_cell(row->misses);
		cells[3] = report_real_cell(ratio(100, row->misses, total));
		cells[4] = report_real_cell(ratio(1000, row->misses, table->instructions));
		put_miss_counts(&cells[5], &row->group->misses[side][depth]);
		cache_by_cells(s->attribution.by, &s->studies->places, row->group->key.values,
			       texts, &cells[GROUP_COLUMNS]);
		study_table_row(table, cells);
		for (unsigned k = 0; k < s->attribution.by->count; k++)
			free(texts[k]);
	}
	free(rows);
}

static void add_groups(const struct study_table *table)
{
	for (size_t i = 0; i < table->studies->count; i++)
		EACH_CACHE(&table->studies->at[i], depth, side)
	add_cache_groups(table, &table->studies->at[i], depth, side);
}

static void put_groups(struct study_table table)
{
	struct report_column columns[GROUP_COLUMNS + CACHE_KEY_COLUMNS + 1] = { { 0 } };
	const struct cache_by *by = &table.studies->options->by;
	char name[sizeof("by_") + sizeof(by->name)];

	for (unsigned i = 0; i < GROUP_COLUMNS; i++)
		columns[i] = group_columns[i];
	cache_by_columns(by, columns + GROUP_COLUMNS);
	snprintf(name, sizeof(name), "by_%s", by->name);
	table.name = name;
	table.columns = columns;
	study_table_put(table, add_groups);
}

void cache_studies_report(const struct cache_studies *s, uint64_t instructions,
			  struct report *report)
{
	struct study_table table = { .studies = s, .report = report, .instructions = instructions };

	if (!s->count)
		return;
	table.name = "kinds";
	table.columns = kind_columns;
	study_table_put(table, add_kinds);
	if (s->options->by.count)
		put_groups(table);
	if (s->at[0].hierarchy->config.n_cores == 1)
		return;
	study_contention_tables(table);
}
