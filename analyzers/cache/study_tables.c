/* SPDX-License-Identifier: MIT */
/* The tables of studies. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analyzers/cache/study.h"
#include "cli/common/checked.h"

/*
 * A table of several hierarchies: its first column names the hierarchy. Text does not have that
 * column if there is only one.
 */
struct table {
	const struct cache_studies *studies;
	struct report *report;
	const char *name;
	const struct report_column *columns;
	uint64_t instructions;
	bool unnamed; /* the first column is left out */
};

static void put_row(const struct table *table, const struct report_cell *cells)
{
	report_row_of_cells(table->report, cells + table->unnamed);
}

/* Reports a table, whose rows `add_rows` puts. */
static void put_table(struct table table, void (*add_rows)(const struct table *table))
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

static void add_kinds(const struct table *table)
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
			put_row(table, cells);
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
static void add_cache_groups(const struct table *table, const struct cache_study *s, unsigned depth,
			     bool side)
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
		put_row(table, cells);
		for (unsigned k = 0; k < s->attribution.by->count; k++)
			free(texts[k]);
	}
	free(rows);
}

static void add_groups(const struct table *table)
{
	for (size_t i = 0; i < table->studies->count; i++)
		EACH_CACHE(&table->studies->at[i], depth, side)
	add_cache_groups(table, &table->studies->at[i], depth, side);
}

static void put_groups(struct table table)
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
	put_table(table, add_groups);
}

/* ---- coherence --------------------------------------------------------------------------- */

#define COHERENCE_COLUMNS                                                     \
	{ "invalidations", REPORT_U64, "" }, { "transfers", REPORT_U64, "" }, \
	{                                                                     \
		"upgrades", REPORT_U64, ""                                    \
	}
#define COHERENCE_CELLS(counts)                                                                 \
	report_integer_cell((counts)->invalidations), report_integer_cell((counts)->transfers), \
		report_integer_cell((counts)->upgrades)

static const struct report_column coherence_columns[] = {
	{ "caches", REPORT_STRING, "" },
	COHERENCE_COLUMNS,
	{ "contended_lines", REPORT_U64, "" },
	{ NULL, 0, NULL },
};

static void add_coherence(const struct table *table)
{
	for (size_t i = 0; i < table->studies->count; i++) {
		const struct cache_study *s = &table->studies->at[i];

		if (!cache_is_coherent(s->hierarchy))
			continue;
		const struct report_cell cells[] = {
			report_text_cell(s->hierarchy->config.name),
			COHERENCE_CELLS(&s->coherence.counts),
			report_integer_cell(s->contention.lines.count),
		};

		put_row(table, cells);
	}
}

/* ---- contended lines --------------------------------------------------------------------- */

static const struct report_column line_columns[] = {
	{ "caches", REPORT_STRING, "" },
	{ "process", REPORT_ID, "" },
	{ "line", REPORT_HEX, "" },
	{ "true_sharing", REPORT_U64, "" },
	{ "false_sharing", REPORT_U64, "" },
	COHERENCE_COLUMNS,
	{ "loads", REPORT_U64, "" },
	{ "stores", REPORT_U64, "" },
	{ "reading_cores", REPORT_U64, "" },
	{ "writing_cores", REPORT_U64, "" },
	{ "region", REPORT_STRING, "" },
	{ "allocation", REPORT_STRING, "" },
	{ NULL, 0, NULL },
};

/* Returns the address of a line in its process. */
static uint64_t address_of(const struct contended_line *line)
{
	return line->key - ((uint64_t)line->process << 48);
}

/* Returns the place that allocated an object as text, or NULL. Free it. */
static char *describe_object(const struct places *places, uint32_t number)
{
	const struct heap_object *object;

	if (number == TF_NONE)
		return NULL;
	object = places->objects.kept.at[number];
	if (object->site == TF_NONE)
		return text_format("%#" PRIx64, object->address);
	return code_site_describe(&places->sites, &places->sites.sites.at[object->site]);
}

static void add_line(const struct table *table, const struct cache_study *s,
		     const struct contended_line *line)
{
	const struct places *places = &s->studies->places;
	const struct contention_counts *counts = &line->counts;
	char *object = describe_object(places, line->object);
	const struct report_cell cells[] = {
		report_text_cell(s->hierarchy->config.name),
		report_integer_cell(line->process),
		report_integer_cell(address_of(line)),
		report_integer_cell(counts->true_sharing),
		report_integer_cell(counts->false_sharing),
		COHERENCE_CELLS(&counts->coherence),
		report_integer_cell(counts->loads),
		report_integer_cell(counts->stores),
		report_integer_cell((unsigned)__builtin_popcountll(line->readers)),
		report_integer_cell((unsigned)__builtin_popcountll(line->writers)),
		report_text_cell(numbering_key(&places->regions.names, line->region)),
		report_text_cell(object),
	};

	put_row(table, cells);
	free(object);
}

static void add_lines(const struct table *table)
{
	for (size_t i = 0; i < table->studies->count; i++) {
		const struct contention *c = &table->studies->at[i].contention;
		uint32_t *lines = contention_lines(c);

		for (size_t k = 0; k < c->lines.count && k < table->studies->options->top; k++)
			add_line(table, &table->studies->at[i], &c->lines.at[lines[k]]);
		free(lines);
	}
}

/* ---- their accesses ---------------------------------------------------------------------- */

static const struct report_column access_columns[] = {
	{ "caches", REPORT_STRING, "" },
	{ "line", REPORT_HEX, "" },
	{ "offset", REPORT_U64, "bytes" },
	{ "size", REPORT_U64, "bytes" },
	{ "thread", REPORT_ID, "" },
	{ "core", REPORT_ID, "" },
	{ "true_sharing", REPORT_U64, "" },
	{ "false_sharing", REPORT_U64, "" },
	COHERENCE_COLUMNS,
	{ "loads", REPORT_U64, "" },
	{ "stores", REPORT_U64, "" },
	{ "module", REPORT_STRING, "" },
	{ "symbol", REPORT_STRING, "" },
	{ "source", REPORT_STRING, "" },
	{ "pc", REPORT_HEX, "" },
	{ "instruction", REPORT_STRING, "" },
	{ NULL, 0, NULL },
};

static void add_access(const struct table *table, const struct cache_study *s,
		       const struct contended_access *access)
{
	const struct code_sites *sites = &s->studies->places.sites;
	const struct code_site *site = &sites->sites.at[access->key.site];
	const struct contention_counts *counts = &access->counts;
	char *text = code_site_disassemble(sites, site);
	const struct report_cell cells[] = {
		report_text_cell(s->hierarchy->config.name),
		report_integer_cell(address_of(&s->contention.lines.at[access->key.line])),
		report_integer_cell(access->key.offset),
		report_integer_cell(access->key.size),
		report_integer_cell(access->key.thread),
		report_integer_cell(access->core),
		report_integer_cell(counts->true_sharing),
		report_integer_cell(counts->false_sharing),
		COHERENCE_CELLS(&counts->coherence),
		report_integer_cell(counts->loads),
		report_integer_cell(counts->stores),
		report_text_cell(code_site_module(sites, site)),
		report_text_cell(site->name),
		report_text_cell(code_site_line(sites, site)),
		report_integer_cell(site->pc),
		report_text_cell(text),
	};

	put_row(table, cells);
	free(text);
}

/* Adds the accesses of those lines of one study that are reported. */
static void add_study_accesses(const struct table *table, const struct cache_study *s)
{
	const struct contention *c = &s->contention;
	uint32_t *lines = contention_lines(c), *accesses = contention_accesses(c);
	size_t *first = checked_array(c->lines.count + 1, sizeof(*first));

	for (size_t i = 0; i < c->accesses.count; i++)
		first[c->accesses.at[i].key.line + 1]++;
	for (size_t i = 0; i < c->lines.count; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < c->lines.count && i < s->studies->options->top; i++)
		for (size_t k = first[lines[i]]; k < first[lines[i] + 1]; k++)
			add_access(table, s, &c->accesses.at[accesses[k]]);
	free(first);
	free(lines);
	free(accesses);
}

static void add_accesses(const struct table *table)
{
	for (size_t i = 0; i < table->studies->count; i++)
		add_study_accesses(table, &table->studies->at[i]);
}

void cache_studies_report(const struct cache_studies *s, uint64_t instructions,
			  struct report *report)
{
	struct table table = { .studies = s, .report = report, .instructions = instructions };

	if (!s->count)
		return;
	table.name = "kinds";
	table.columns = kind_columns;
	put_table(table, add_kinds);
	if (s->options->by.count)
		put_groups(table);
	if (s->at[0].hierarchy->config.n_cores == 1)
		return;
	table.name = "coherence";
	table.columns = coherence_columns;
	put_table(table, add_coherence);
	table.name = "contended_lines";
	table.columns = line_columns;
	put_table(table, add_lines);
	table.name = "contended_accesses";
	table.columns = access_columns;
	put_table(table, add_accesses);
}
