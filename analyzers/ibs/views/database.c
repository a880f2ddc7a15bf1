/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/database.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzers/ibs/packet/data_source.h"
#include "analyzers/ibs/views/keys.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"
#include "cli/common/unfinished.h"
#include "traceformat/common/hash_table.h"

struct ibs_database {
	sqlite3 *sqlite;
	const char *path;
	struct places *places;
	sqlite3_stmt *add[IBS_N_KINDS]; /* by kind: the statement that inserts a sample */
	int status;                     /* SQLITE_OK, or the first error */
	struct unfinished *unfinished;
	bool finished;
};

static const char schema[] =
	"CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT);"
	"CREATE TABLE modules (id INTEGER PRIMARY KEY, path TEXT, build_id TEXT);"
	"CREATE TABLE symbols (id INTEGER PRIMARY KEY, module INTEGER REFERENCES modules,"
	" name TEXT, address INTEGER, size INTEGER);"
	"CREATE TABLE lines (id INTEGER PRIMARY KEY, file TEXT, line INTEGER);"
	"CREATE TABLE instructions (id INTEGER PRIMARY KEY, module INTEGER REFERENCES modules,"
	" address INTEGER, pc INTEGER, symbol INTEGER REFERENCES symbols,"
	" line INTEGER REFERENCES lines, text TEXT);"
	"CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT);"
	"CREATE TABLE objects (id INTEGER PRIMARY KEY, process INTEGER, thread INTEGER,"
	" address INTEGER, size INTEGER, allocated INTEGER, freed INTEGER,"
	" allocation INTEGER REFERENCES instructions);";

/* ---- statements -------------------------------------------------------------------------- */

static void check(struct ibs_database *d, int status)
{
	if (d->status == SQLITE_OK && status != SQLITE_OK && status != SQLITE_ROW &&
	    status != SQLITE_DONE)
		d->status = status;
}

static void execute(struct ibs_database *d, const char *sql)
{
	check(d, sqlite3_exec(d->sqlite, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *prepare(struct ibs_database *d, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	check(d, sqlite3_prepare_v2(d->sqlite, sql, -1, &statement, NULL));
	return statement;
}

/* Binds a parameter of the statement. Parameters that are not bound are NULL. */
static void bind_u64(struct ibs_database *d, sqlite3_stmt *s, int at, uint64_t value)
{
	check(d, sqlite3_bind_int64(s, at, (sqlite3_int64)value));
}

static void bind_index(struct ibs_database *d, sqlite3_stmt *s, int at, uint32_t index)
{
	if (index != TF_NONE)
		bind_u64(d, s, at, index);
}

static void bind_text(struct ibs_database *d, sqlite3_stmt *s, int at, const char *text)
{
	check(d, sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT));
}

/* Inserts the row of the bound values and resets the statement, which is NULL after an error. */
static void insert(struct ibs_database *d, sqlite3_stmt *s)
{
	if (d->status != SQLITE_OK)
		return;
	check(d, sqlite3_step(s));
	check(d, sqlite3_reset(s));
	check(d, sqlite3_clear_bindings(s));
}

/* ---- samples ----------------------------------------------------------------------------- */

static const char *const table_names[IBS_N_KINDS] = { "ops", "fetches" };

enum { SAMPLE_LABELS = 9 };

static const char sample_labels[] =
	"process INTEGER, thread INTEGER, op INTEGER, instruction INTEGER REFERENCES "
	"instructions, region INTEGER REFERENCES regions, object INTEGER REFERENCES objects, "
	"source TEXT, comm TEXT, stack TEXT";

static bool is_of_kind(enum ibs_field field, enum ibs_kind kind)
{
	return ibs_register_kind(ibs_field_register(field)) == kind;
}

/* Creates the table for samples of a kind, and the statement that inserts into it. */
static void create_samples(struct ibs_database *d, enum ibs_kind kind)
{
	char *create, *add;
	size_t size;
	FILE *out = checked(open_memstream(&create, &size));

	fprintf(out, "CREATE TABLE %s (%s", table_names[kind], sample_labels);
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (is_of_kind(i, kind))
			fprintf(out, ", %s INTEGER", ibs_field_name(i));
	fputc(')', out);
	fclose(out);
	execute(d, create);
	free(create);
	out = checked(open_memstream(&add, &size));
	fprintf(out, "INSERT INTO %s VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?", table_names[kind]);
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (is_of_kind(i, kind))
			fputs(", ?", out);
	fputc(')', out);
	fclose(out);
	d->add[kind] = prepare(d, add);
	free(add);
}

static void bind_data(struct ibs_database *d, sqlite3_stmt *s, const struct ibs_sample *sample,
		      const struct place *place)
{
	const struct heap_object *object;
	enum ibs_level level;

	if (ibs_level_get(sample->packet, &level))
		bind_text(d, s, 7, ibs_level_name(level));
	if (!place->accesses)
		return;
	places_object(d->places, place, &object);
	bind_u64(d, s, 5, memory_regions_find(&d->places->regions, place->process, place->address));
	if (object)
		bind_u64(d, s, 6, object->sampled);
}

void ibs_database_add(struct ibs_database *d, const struct ibs_sample *sample)
{
	const struct ibs_packet *packet = sample->packet;
	const struct place place = ibs_sample_place(sample);
	sqlite3_stmt *s = d->add[packet->kind];
	int at = SAMPLE_LABELS;
	uint64_t value;

	bind_index(d, s, 1, sample->process);
	bind_index(d, s, 2, sample->thread);
	bind_u64(d, s, 3, packet->op);
	bind_u64(d, s, 4, places_site(d->places, &place));
	bind_data(d, s, sample, &place);
	if (sample->comm)
		bind_text(d, s, 8, sample->comm);
	if (sample->stack)
		bind_text(d, s, 9, sample->stack);
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (is_of_kind(i, packet->kind) && (at++, ibs_packet_get(packet, i, &value)))
			bind_u64(d, s, at, value);
	insert(d, s);
}

void ibs_database_note(struct ibs_database *d, const char *name, const char *value)
{
	sqlite3_stmt *s = prepare(d, "INSERT OR REPLACE INTO run VALUES (?, ?)");

	bind_text(d, s, 1, name);
	bind_text(d, s, 2, value);
	insert(d, s);
	sqlite3_finalize(s);
}

/* ---- what samples refer to --------------------------------------------------------------- */

static void add_object(void *database, const struct heap_object *object)
{
	struct ibs_database *d = database;
	sqlite3_stmt *s = prepare(d, "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?)");

	bind_u64(d, s, 1, object->sampled);
	bind_u64(d, s, 2, object->process);
	bind_u64(d, s, 3, object->thread);
	bind_u64(d, s, 4, object->address);
	bind_u64(d, s, 5, object->size);
	bind_u64(d, s, 6, object->allocated);
	if (object->freed != UINT64_MAX)
		bind_u64(d, s, 7, object->freed);
	bind_index(d, s, 8, object->site);
	insert(d, s);
	sqlite3_finalize(s);
}

static void add_modules(struct ibs_database *d)
{
	sqlite3_stmt *s = prepare(d, "INSERT INTO modules VALUES (?, ?, ?)");

	for (uint32_t i = 0; i < tf_n_modules(d->places->reader); i++) {
		const struct tf_module *module = tf_module(d->places->reader, i);

		if (!module)
			continue;

		char id[2 * sizeof(module->build_id) + 1] = "";

		for (unsigned k = 0; k < module->build_id_size; k++)
			sprintf(id + 2 * k, "%02x", module->build_id[k]);
		bind_u64(d, s, 1, i);
		bind_text(d, s, 2, module->path);
		if (*id)
			bind_text(d, s, 3, id);
		insert(d, s);
	}
	sqlite3_finalize(s);
}

static void add_lines(struct ibs_database *d)
{
	sqlite3_stmt *s = prepare(d, "INSERT INTO lines VALUES (?, ?, ?)");
	const struct numbering *texts = &d->places->sites.line_texts;

	for (uint32_t i = 0; i < texts->count; i++) {
		const char *text = numbering_key(texts, i), *colon = strrchr(text, ':');

		bind_u64(d, s, 1, i);
		check(d, sqlite3_bind_text(s, 2, text, (int)(colon - text), SQLITE_TRANSIENT));
		bind_u64(d, s, 3, strtoul(colon + 1, NULL, 10));
		insert(d, s);
	}
	sqlite3_finalize(s);
}

static void add_regions(struct ibs_database *d)
{
	sqlite3_stmt *s = prepare(d, "INSERT INTO regions VALUES (?, ?)");
	const struct numbering *names = &d->places->regions.names;

	for (uint32_t i = 0; i < names->count; i++) {
		bind_u64(d, s, 1, i);
		bind_text(d, s, 2, numbering_key(names, i));
		insert(d, s);
	}
	sqlite3_finalize(s);
}

static void add_symbol(struct ibs_database *d, sqlite3_stmt *s, uint32_t number,
		       const struct code_site *site)
{
	bind_u64(d, s, 1, number);
	bind_index(d, s, 2, site->module);
	bind_text(d, s, 3, site->name);
	bind_u64(d, s, 4, site->symbol->value);
	bind_u64(d, s, 5, site->symbol->size);
	insert(d, s);
}

static void add_instruction(struct ibs_database *d, sqlite3_stmt *s, uint32_t number,
			    uint32_t symbol)
{
	const struct code_sites *sites = &d->places->sites;
	const struct code_site *site = &sites->sites.at[number];
	char *text = code_site_disassemble(sites, site);

	bind_u64(d, s, 1, number);
	bind_index(d, s, 2, site->module);
	bind_u64(d, s, 3, site->module_offset);
	bind_u64(d, s, 4, site->pc);
	bind_index(d, s, 5, symbol);
	bind_index(d, s, 6, site->line);
	if (text)
		bind_text(d, s, 7, text);
	insert(d, s);
	free(text);
}

struct added_symbol {
	const struct tf_symbol *key;
};

static void add_instructions(struct ibs_database *d)
{
	HASH_TABLE(struct added_symbol) symbols = { 0 };
	sqlite3_stmt *of_symbols = prepare(d, "INSERT INTO symbols VALUES (?, ?, ?, ?, ?)");
	sqlite3_stmt *s = prepare(d, "INSERT INTO instructions VALUES (?, ?, ?, ?, ?, ?, ?)");
	const struct code_sites *sites = &d->places->sites;

	for (uint32_t i = 0; i < sites->sites.count; i++) {
		const struct code_site *site = &sites->sites.at[i];
		size_t known = symbols.count;
		struct added_symbol *symbol;

		if (!site->symbol) {
			add_instruction(d, s, i, TF_NONE);
			continue;
		}
		symbol = checked(TABLE_PUT(symbols, site->symbol));
		if (symbols.count > known)
			add_symbol(d, of_symbols, (uint32_t)known, site);
		add_instruction(d, s, i, (uint32_t)(symbol - symbols.at));
	}
	sqlite3_finalize(of_symbols);
	sqlite3_finalize(s);
	TABLE_FREE(symbols);
}

/* ---- the file ---------------------------------------------------------------------------- */

struct ibs_database *ibs_database_create(const char *path, struct places *places)
{
	struct ibs_database *d;

	if (is_dangling(path))
		return NULL;
	if (!access(path, F_OK)) {
		command_error("%s: exists; remove it, or name another file", path);
		return NULL;
	}
	d = checked_array(1, sizeof(*d));
	d->path = path;
	d->places = places;
	d->unfinished = unfinished_file(path);
	d->status = sqlite3_open_v2(path, &d->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
				    NULL);
	if (d->status != SQLITE_OK) {
		command_error("%s: %s", path, sqlite3_errstr(d->status));
		ibs_database_free(d);
		return NULL;
	}
	/* No other program reads the file before it is finished. */
	execute(d, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
	execute(d, schema);
	for (unsigned kind = 0; kind < IBS_N_KINDS; kind++)
		create_samples(d, kind);
	places->objects.ended = add_object;
	places->objects.opaque = d;
	return d;
}

static void finalize(struct ibs_database *d)
{
	for (unsigned kind = 0; kind < IBS_N_KINDS; kind++) {
		sqlite3_finalize(d->add[kind]);
		d->add[kind] = NULL;
	}
}

int ibs_database_finish(struct ibs_database *d)
{
	heap_objects_end(&d->places->objects);
	add_modules(d);
	add_lines(d);
	add_regions(d);
	add_instructions(d);
	finalize(d);
	execute(d, "COMMIT");
	if (d->status != SQLITE_OK) {
		command_error("%s: %s", d->path, sqlite3_errstr(d->status));
		return EXIT_FAILED;
	}
	d->finished = true;
	return 0;
}

void ibs_database_free(struct ibs_database *d)
{
	if (!d)
		return;
	finalize(d);
	sqlite3_close(d->sqlite);
	if (!d->finished && d->sqlite)
		unfinished_drop(d->unfinished);
	else
		unfinished_end(d->unfinished);
	free(d);
}
