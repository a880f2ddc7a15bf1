/* SPDX-License-Identifier: MIT */
/* The tables about several cores: coherence, contended lines, and their accesses. */
#include <inttypes.h>

#include "analyzers/cache/sharers.h"
#include "analyzers/cache/study_table.h"
#include "cli/common/checked.h"

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

static void add_coherence(const struct study_table *table)
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

		study_table_row(table, cells);
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

static void add_line(const struct study_table *table, const struct cache_study *s,
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

	study_table_row(table, cells);
	free(object);
}

static void add_lines(const struct study_table *table)
{
	for (size_t i = 0; i < table->studies->count; i++) {
		const struct contention *c = &table->studies->at[i].contention;
		uint32_t *lines = contention_lines(c);

		for (size_t k = 0; k < c->lines.count && k < table->studies->options->top; k++)
			add_line(table, &table->studies->at[i], &c->lines.at[lines[k]]);
		free(lines);
	}
}

/* ---- false sharing ----------------------------------------------------------------------- */

static const struct report_column sharer_columns[] = {
	{ "caches", REPORT_STRING, "" },
	{ "line", REPORT_HEX, "" },
	{ "thread", REPORT_ID, "" },
	{ "false_sharing", REPORT_U64, "" },
	{ "bytes_written", REPORT_STRING, "" },
	{ "bytes_read", REPORT_STRING, "" },
	{ "source", REPORT_STRING, "" },
	{ "data", REPORT_STRING, "" },
	{ NULL, 0, NULL },
};

static void add_sharer(const struct study_table *table, const struct cache_study *s,
		       const struct sharer *sharer)
{
	const struct contended_line *line = &s->contention.lines.at[sharer->line];
	const struct places *places = &s->studies->places;
	const struct code_site *site = &places->sites.sites.at[sharer->site];
	const char *source = code_site_line(&places->sites, site);
	const char *region = numbering_key(&places->regions.names, line->region);
	char *written = sharer_bytes(&s->contention, sharer->written);
	char *read = sharer_bytes(&s->contention, sharer->read);
	char *object = describe_object(places, line->object);
	const struct report_cell cells[] = {
		report_text_cell(s->hierarchy->config.name),
		report_integer_cell(address_of(line)),
		report_integer_cell(sharer->thread),
		report_integer_cell(sharer->all.false_sharing),
		report_text_cell(written),
		report_text_cell(read),
		report_text_cell(source ? source : site->name),
		report_text_cell(object ? object : region),
	};

	study_table_row(table, cells);
	free(object);
	free(read);
	free(written);
}

static void add_sharers(const struct study_table *table)
{
	for (size_t i = 0; i < table->studies->count; i++) {
		const struct cache_study *s = &table->studies->at[i];
		size_t count;
		struct sharer *sharers = false_sharers(&s->contention, s->studies->options->top,
						       &count);

		for (size_t k = 0; k < count; k++)
			add_sharer(table, s, &sharers[k]);
		free(sharers);
	}
}

static bool has_sharers(const struct cache_studies *s)
{
	size_t all = 0, count;

	for (size_t i = 0; i < s->count; i++) {
		free(false_sharers(&s->at[i].contention, s->options->top, &count));
		all += count;
	}
	return all;
}

/* Reports which threads use different bytes of the same lines, and what helps. */
static void put_sharers(struct study_table table)
{
	if (!has_sharers(table.studies))
		return;
	report_define(table.report, "false_sharing_by_thread",
		      "threads that use different bytes of one line: align or pad the bytes of "
		      "each thread to lines of their own, or count in local variables");
	table.name = "false_sharing_by_thread";
	table.columns = sharer_columns;
	study_table_put(table, add_sharers);
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

static void add_access(const struct study_table *table, const struct cache_study *s,
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

	study_table_row(table, cells);
	free(text);
}

/* Adds the accesses of those lines of one study that are reported. */
static void add_study_accesses(const struct study_table *table, const struct cache_study *s)
{
	const struct contention *c = &s->contention;
	uint32_t *lines = contention_lines(c), *accesses = contention_accesses(c);
	size_t *first = contention_first_accesses(c);

	for (size_t i = 0; i < c->lines.count && i < s->studies->options->top; i++)
		for (size_t k = first[lines[i]]; k < first[lines[i] + 1]; k++)
			add_access(table, s, &c->accesses.at[accesses[k]]);
	free(first);
	free(lines);
	free(accesses);
}

static void add_accesses(const struct study_table *table)
{
	for (size_t i = 0; i < table->studies->count; i++)
		add_study_accesses(table, &table->studies->at[i]);
}

void study_contention_tables(struct study_table table)
{
	table.name = "coherence";
	table.columns = coherence_columns;
	study_table_put(table, add_coherence);
	table.name = "contended_lines";
	table.columns = line_columns;
	study_table_put(table, add_lines);
	put_sharers(table);
	table.name = "contended_accesses";
	table.columns = access_columns;
	study_table_put(table, add_accesses);
}
