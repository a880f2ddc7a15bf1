/* SPDX-License-Identifier: MIT */
/*
 * Counts by place. A row is found by the static instruction: an array has the number of the row of
 * each, so that counting does not look up names. Rows of source lines are of instructions while
 * counting, because debug information may not be read by several jobs at a time, and are put
 * together when they are asked for.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/common/insn_numbers.h"
#include "analyzers/common/lines.h"
#include "analyzers/common/numbering.h"
#include "analyzers/common/symbol_names.h"
#include "cli/common/base_name.h"
#include "cli/common/checked.h"

/* Identifies a row. Without gaps. */
struct key {
	const void *object; /* tf_symbol, tf_module or tf_block; NULL: none */
	uint64_t number;    /* of an instruction, a thread, or a line and its file */
	uint64_t file;      /* ANALYZER_BY_LINE: number of a text, + 1 */
};

struct analyzer_table {
	const struct tf_reader *reader;
	enum analyzer_by by;
	bool folded; /* rows of ANALYZER_BY_LINE are lines, no longer instructions */
	size_t n_counts;
	size_t *first_insn;     /* by block: where its instructions are in row_of */
	uint32_t *row_of;       /* by static instruction: a row + 1, or 0 */
	struct numbering keys;  /* of struct key, or of names */
	ARRAY(uint64_t) counts; /* by row */

	/* Made for analyzer_table_rows, and valid until the table changes. */
	struct analyzer_table *by_line;
	struct lines *lines;
	struct numbering files;
	struct symbol_names names;
	struct analyzer_row *rows;
	char **texts; /* "file:line", by row */
	size_t n_texts;
};

static bool is_by_code(const struct analyzer_table *t)
{
	return t->by != ANALYZER_BY_THREAD && t->by != ANALYZER_BY_NAME && !t->folded;
}

struct analyzer_table *analyzer_table_new(const struct tf_reader *reader, enum analyzer_by by,
					  size_t n_counts)
{
	struct analyzer_table *t = checked_array(1, sizeof(*t));

	t->reader = reader;
	t->by = by;
	t->n_counts = n_counts;
	t->names.mangled = by == ANALYZER_BY_SYMBOL;
	if (is_by_code(t)) {
		t->first_insn = number_insns(reader);
		t->row_of = checked_array(t->first_insn[tf_n_blocks(reader)], sizeof(*t->row_of));
	}
	return t;
}

/* Frees what analyzer_table_rows has made. */
static void forget_rows(struct analyzer_table *t)
{
	for (size_t i = 0; i < t->n_texts; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->rows);
	analyzer_table_free(t->by_line);
	t->texts = NULL;
	t->rows = NULL;
	t->by_line = NULL;
	t->n_texts = 0;
}

void analyzer_table_free(struct analyzer_table *t)
{
	if (!t)
		return;
	forget_rows(t);
	lines_close(t->lines);
	numbering_free(&t->files);
	symbol_names_free(&t->names);
	numbering_free(&t->keys);
	free(t->first_insn);
	free(t->row_of);
	free(t->counts.at);
	free(t);
}

void analyzer_table_clear(struct analyzer_table *t)
{
	if (t->keys.count)
		memset(t->counts.at, 0, t->keys.count * t->n_counts * sizeof(*t->counts.at));
}

/* ---- finding rows ------------------------------------------------------------------------ */

/* Returns the counts of a row, which may be the next one that there is not yet. */
static uint64_t *counts_of(struct analyzer_table *t, uint32_t row)
{
	CHECKED_RESERVE(t->counts, (row + 1ul) * t->n_counts);
	return t->counts.at + row * t->n_counts;
}

static uint32_t row_of_key(struct analyzer_table *t, struct key key)
{
	uint32_t row = numbering_add(&t->keys, &key, sizeof(key));

	counts_of(t, row);
	return row;
}

static struct key key_of_code(const struct analyzer_table *t, const struct tf_block *block,
			      unsigned insn)
{
	struct key key = { tf_module(t->reader, block->module), 0, 0 };
	const struct tf_symbol *symbol;

	if (t->by == ANALYZER_BY_LINE)
		return (struct key){ block, insn, 0 };
	if (t->by == ANALYZER_BY_MODULE)
		return key;
	symbol = tf_symbol(t->reader, block->module,
			   block->module_offset + block->insns[insn].offset);
	key.file = block->module == TF_NONE ? 0 : block->module + UINT64_C(1);
	if (symbol)
		key.object = symbol;
	return key;
}

uint64_t *analyzer_table_at(struct analyzer_table *t, uint32_t thread, const struct tf_block *block,
			    unsigned insn)
{
	if (t->by == ANALYZER_BY_THREAD)
		return counts_of(t, row_of_key(t, (struct key){ NULL, thread, 0 }));
	uint32_t *row = &t->row_of[t->first_insn[block->id] + insn];

	if (!*row)
		*row = row_of_key(t, key_of_code(t, block, insn)) + 1;
	return t->counts.at + (*row - 1) * t->n_counts;
}

uint64_t *analyzer_table_named(struct analyzer_table *t, const char *name)
{
	return counts_of(t, numbering_add_text(&t->keys, name));
}

static void add_counts(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

void analyzer_table_merge(struct analyzer_table *t, const struct analyzer_table *other)
{
	for (uint32_t i = 0; i < other->keys.count; i++) {
		const void *key = numbering_key(&other->keys, i);
		uint64_t *counts = t->by == ANALYZER_BY_NAME
					   ? analyzer_table_named(t, key)
					   : counts_of(t, row_of_key(t, *(const struct key *)key));

		add_counts(counts, other->counts.at + i * t->n_counts, t->n_counts);
	}
}

/* ---- naming and sorting ------------------------------------------------------------------ */

static struct key key_of_line(struct analyzer_table *t, const struct key *insn)
{
	const struct tf_block *block = insn->object;
	struct key key = { tf_module(t->reader, block->module), 0, 0 };
	uint64_t offset = block->module_offset + block->insns[insn->number].offset;
	struct source_line line;

	if (!key.object || !lines_find(t->lines, block->module, offset, &line))
		return key;
	key.number = line.line;
	key.file = numbering_add_text(&t->files, line.file) + UINT64_C(1);
	return key;
}

/* Makes the table of lines of one of instructions. */
static struct analyzer_table *fold_lines(struct analyzer_table *t)
{
	struct analyzer_table *folded = checked_array(1, sizeof(*folded));

	if (!t->lines)
		t->lines = lines_open(t->reader);
	*folded = (struct analyzer_table){
		.reader = t->reader, .by = ANALYZER_BY_LINE, .folded = true, .n_counts = t->n_counts
	};
	for (uint32_t i = 0; i < t->keys.count; i++) {
		struct key key = key_of_line(t, numbering_key(&t->keys, i));
		uint32_t row = row_of_key(folded, key);

		add_counts(counts_of(folded, row), t->counts.at + i * t->n_counts, t->n_counts);
	}
	return folded;
}

/* A row, and the keys by which rows with equal counts are sorted. */
struct sorted {
	struct analyzer_row row;
	const char *file; /* or name as it is in the trace */
	uint64_t line;
	size_t sort;
};

static const char *or_none(const char *text)
{
	return text ? text : "";
}

static int compare_rows(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	uint64_t first = x->row.counts[x->sort], second = y->row.counts[y->sort];
	int order = (first < second) - (first > second);

	if (!order)
		order = strcmp(or_none(x->row.module), or_none(y->row.module));
	if (!order)
		order = strcmp(or_none(x->file), or_none(y->file));
	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : (x->row.thread > y->row.thread) - (x->row.thread < y->row.thread);
}

static const char *module_name(const struct tf_module *module)
{
	return module ? base_name(module->path) : "[no file]";
}

static void name_function(struct analyzer_table *t, const struct key *key, struct sorted *s)
{
	const struct tf_module *module = key->file ? tf_module(t->reader, (uint32_t)(key->file - 1))
						   : NULL;
	const struct tf_symbol *symbol = key->object == module ? NULL : key->object;

	s->row.module = module_name(module);
	s->file = symbol ? symbol->name : "[unknown]";
	s->row.name = symbol ? symbol_name(&t->names, symbol) : s->file;
}

static void name_line(struct analyzer_table *t, const struct key *key, struct sorted *s)
{
	s->row.module = module_name(key->object);
	s->line = key->number;
	s->row.name = s->file = "[unknown]";
	if (!key->file)
		return;
	s->file = numbering_key(&t->files, (uint32_t)(key->file - 1));
	s->row.name = t->texts[t->n_texts++] = text_format("%s:%u", s->file, (unsigned)s->line);
}

static void name_row(struct analyzer_table *t, const void *key, struct sorted *s)
{
	const struct key *place = key;

	s->row.thread = TF_NONE;
	switch (t->by) {
	case ANALYZER_BY_FUNCTION:
	case ANALYZER_BY_SYMBOL: name_function(t, place, s); break;
	case ANALYZER_BY_LINE: name_line(t, place, s); break;
	case ANALYZER_BY_MODULE: s->row.module = module_name(place->object); break;
	case ANALYZER_BY_THREAD: s->row.thread = (uint32_t)place->number; break;
	case ANALYZER_BY_NAME: s->row.name = s->file = key; break;
	}
}

/* Whether a row has something since analyzer_table_clear. */
static bool is_counted(const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (counts[i])
			return true;
	return false;
}

const struct analyzer_row *analyzer_table_rows(struct analyzer_table *t, size_t sort, size_t *count)
{
	const struct analyzer_table *from = t;
	struct sorted *sorted;

	forget_rows(t);
	if (t->by == ANALYZER_BY_LINE)
		from = t->by_line = fold_lines(t);
	t->texts = checked_array(from->keys.count, sizeof(*t->texts));
	t->rows = checked_array(from->keys.count, sizeof(*t->rows));
	sorted = checked_array(from->keys.count, sizeof(*sorted));
	*count = 0;
	for (uint32_t i = 0; i < from->keys.count; i++) {
		const uint64_t *counts = from->counts.at + i * t->n_counts;

		if (!is_counted(counts, t->n_counts))
			continue;
		sorted[*count].row.counts = counts;
		sorted[*count].sort = sort;
		name_row(t, numbering_key(&from->keys, i), &sorted[(*count)++]);
	}
	qsort(sorted, *count, sizeof(*sorted), compare_rows);
	for (size_t i = 0; i < *count; i++)
		t->rows[i] = sorted[i].row;
	free(sorted);
	return t->rows;
}

/* ---- reporting --------------------------------------------------------------------------- */

static const struct report_column module_column = { "module", REPORT_STRING, "" };
static const struct report_column name_columns[] = {
	[ANALYZER_BY_FUNCTION] = { "symbol", REPORT_STRING, "" },
	[ANALYZER_BY_LINE] = { "line", REPORT_STRING, "" },
	[ANALYZER_BY_THREAD] = { "thread", REPORT_ID, "" },
	[ANALYZER_BY_SYMBOL] = { "symbol", REPORT_STRING, "" },
	[ANALYZER_BY_NAME] = { "name", REPORT_STRING, "" },
};

/* Appends the columns of the place. */
static void add_columns(const struct analyzer_table *t, struct report_column *columns)
{
	if (t->by != ANALYZER_BY_THREAD && t->by != ANALYZER_BY_NAME)
		*columns++ = module_column;
	if (t->by != ANALYZER_BY_MODULE)
		*columns++ = name_columns[t->by];
	*columns = (struct report_column){ NULL, 0, NULL };
}

static void fill_cells(const struct analyzer_table *t, const struct analyzer_row *row,
		       struct report_cell *cells)
{
	for (size_t i = 0; i < t->n_counts; i++)
		*cells++ = report_integer_cell(row->counts[i]);
	if (row->module)
		*cells++ = report_text_cell(row->module);
	if (row->name)
		*cells++ = report_text_cell(row->name);
	if (t->by == ANALYZER_BY_THREAD)
		*cells++ = report_integer_cell(row->thread);
}

void analyzer_table_report(struct analyzer_table *t, struct report *report, const char *name,
			   const struct report_column *counts, size_t sort, uint64_t top)
{
	struct report_column *columns = checked_array(t->n_counts + 3, sizeof(*columns));
	struct report_cell *cells = checked_array(t->n_counts + 3, sizeof(*cells));
	size_t n;
	const struct analyzer_row *rows = analyzer_table_rows(t, sort, &n);

	memcpy(columns, counts, t->n_counts * sizeof(*columns));
	add_columns(t, columns + t->n_counts);
	report_table(report, name, columns);
	for (size_t i = 0; i < n && i < top; i++) {
		fill_cells(t, &rows[i], cells);
		report_row_of_cells(report, cells);
	}
	free(columns);
	free(cells);
}
