/* SPDX-License-Identifier: MIT */
/* Writes a report as text: facts aligned, tables in columns. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/escape.h"
#include "cli/common/put.h"
#include "cli/common/quantity.h"
#include "cli/common/report_parts.h"

static bool is_number(int type)
{
	return type == REPORT_U64 || type == REPORT_ID || type == REPORT_F64 ||
	       type == REPORT_HEX || type == REPORT_CHANGE;
}

/*
 * Returns a small value with three digits, "0.000189", in fixed notation as the cells above and
 * below it. The caller frees it.
 */
static char *text_of_small(double value)
{
	enum { DIGITS = 3, MOST_DECIMALS = 12 };
	int decimals = DIGITS;

	for (double v = fabs(value); v < 0.1 && decimals <= MOST_DECIMALS; v *= 10)
		decimals++;
	return decimals > MOST_DECIMALS ? text_format("%.2e", value)
					: text_format("%.*f", decimals, value);
}

/* Returns "1,234.500". The caller frees it. */
static char *text_of_double(double value)
{
	char count[COUNT_SIZE];

	if (!isfinite(value))
		return checked_copy("-");
	if (value && fabs(value) < 0.001)
		return text_of_small(value);
	if (fabs(value) >= 1e15)
		return text_format("%.15g", value);
	uint64_t thousandths = (uint64_t)(fabs(value) * 1000 + 0.5);

	return text_format("%s%s.%03u", value < 0 ? "-" : "",
			   format_count(thousandths / 1000, count), (unsigned)(thousandths % 1000));
}

/* Returns a name with blanks for underscores. The caller frees it. */
static char *title_of(const char *name)
{
	char *title = checked_copy(name);

	for (char *p = title; *p; p++)
		if (*p == '_')
			*p = ' ';
	return title;
}

/* Returns "+1,234", "-5" or "0". The caller frees it. */
static char *text_of_change(int64_t change)
{
	uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;
	char count[COUNT_SIZE];

	return text_format("%s%s",
			   change > 0   ? "+"
			   : change < 0 ? "-"
					: "",
			   format_count(size, count));
}

/* Returns a value as text shows it. The caller frees it. */
static char *text_of(const struct value *value)
{
	char number[COUNT_SIZE];

	switch (value->type) {
	case REPORT_U64: return checked_copy(format_count(value->u64, number));
	case REPORT_ID: return text_format("%" PRIu64, value->u64);
	case REPORT_HEX: sprintf(number, "0x%" PRIx64, value->u64); return checked_copy(number);
	case REPORT_F64: return text_of_double(value->f64);
	case REPORT_CHANGE: return text_of_change((int64_t)value->u64);
	case REPORT_BOOL: return checked_copy(value->boolean ? "yes" : "no");
	case REPORT_NAME: return title_of(value->string);
	default: return value->string ? escape_text(value->string) : checked_copy("-");
	}
}

/* Returns the length of a unit without its plural ending. */
static int singular_length(const char *unit)
{
	size_t length = strlen(unit);
	size_t ending = length < 4 || unit[length - 1] != 's' ? 0
			: !strcmp(unit + length - 3, "ses") || !strcmp(unit + length - 3, "hes")
				? 2
				: 1;

	return (int)(length - ending);
}

/* Writes the unit behind a value, in the singular behind 1. */
static void put_unit(FILE *out, const struct fact *fact)
{
	bool is_one = fact->value.type == REPORT_U64 && fact->value.u64 == 1;
	int length = is_one ? singular_length(fact->unit) : (int)strlen(fact->unit);

	if (length)
		fprintf(out, " %.*s", length, fact->unit);
}

static size_t widest(size_t width, const char *text)
{
	size_t length = utf8_length(text);

	return length > width ? length : width;
}

static void text_facts(FILE *out, const struct part *part)
{
	char **values = checked(calloc(part->facts.count + 1, sizeof(*values)));
	size_t name_width = 0, number_width = 0;

	for (size_t i = 0; i < part->facts.count; i++) {
		if (part->facts.at[i].not_in_text)
			continue;
		values[i] = text_of(&part->facts.at[i].value);
		name_width = widest(name_width, part->facts.at[i].name);
		if (is_number(part->facts.at[i].value.type))
			number_width = widest(number_width, values[i]);
	}
	for (size_t i = 0; i < part->facts.count; i++) {
		const struct fact *fact = &part->facts.at[i];

		if (fact->not_in_text)
			continue;
		char *title = title_of(fact->name);

		fputs(title, out);
		put_blanks(out, name_width - utf8_length(title) + 2);
		if (is_number(fact->value.type))
			put_blanks(out, number_width - utf8_length(values[i]));
		fputs(values[i], out);
		put_unit(out, fact);
		if (fact->remark)
			fprintf(out, "  (%s)", fact->remark);
		putc('\n', out);
		free(title);
		free(values[i]);
	}
	free(values);
}

/*
 * Returns the head of a column: its name, and its unit unless that is the name. The caller frees
 * it.
 */
static char *head_of(const struct report_column *column)
{
	char *title = title_of(column->name);

	if (!column->unit || !*column->unit || !strcmp(column->unit, column->name))
		return title;
	char *head = text_format("%s [%s]", title, column->unit);

	free(title);
	return head;
}

/* A table that is laid out as text. */
struct text_table {
	const struct part *part;
	char **cells;   /* row by row; the first row has the heads */
	size_t count;   /* of cells */
	size_t *widths; /* by column, in characters; 0: the column is not shown */
	size_t last;    /* the last column that is shown */
};

/* Returns whether a column is shown. A column of numbers that are all unknown is not. */
static bool is_shown(const struct text_table *t, size_t column)
{
	size_t n_columns = t->part->n_columns;
	bool shown = !is_number(t->part->columns[column].type) || t->count == n_columns;

	for (size_t i = n_columns + column; i < t->count && !shown; i += n_columns)
		shown = strcmp(t->cells[i], "-");
	return shown;
}

static struct text_table lay_out(const struct part *part)
{
	size_t n_columns = part->n_columns;
	struct text_table t = { .part = part, .count = n_columns + part->cells.count };

	t.cells = checked(calloc(t.count + 1, sizeof(*t.cells)));
	t.widths = checked(calloc(n_columns + 1, sizeof(*t.widths)));
	for (size_t i = 0; i < t.count; i++) {
		t.cells[i] = i < n_columns ? head_of(&part->columns[i])
					   : text_of(&part->cells.at[i - n_columns]);
		t.widths[i % n_columns] = widest(t.widths[i % n_columns], t.cells[i]);
	}
	for (size_t i = 0; i < n_columns; i++)
		if (is_shown(&t, i))
			t.last = i;
		else
			t.widths[i] = 0;
	return t;
}

static void put_cell(FILE *out, const struct text_table *t, size_t i)
{
	size_t column = i % t->part->n_columns;
	size_t blanks = t->widths[column] - utf8_length(t->cells[i]);

	if (is_number(t->part->columns[column].type)) {
		put_blanks(out, blanks);
		blanks = 0;
	}
	fputs(t->cells[i], out);
	if (column != t->last)
		put_blanks(out, blanks + 2);
}

static void text_table(FILE *out, const struct part *part)
{
	struct text_table t = lay_out(part);

	for (size_t i = 0; i < t.count; i++) {
		if (t.widths[i % part->n_columns])
			put_cell(out, &t, i);
		if ((i + 1) % part->n_columns == 0)
			putc('\n', out);
		free(t.cells[i]);
	}
	free(t.widths);
	free(t.cells);
}

void report_write_text(const struct report *report)
{
	size_t shown = 0;

	for (size_t i = 0; i < report->parts.count; i++) {
		const struct part *part = &report->parts.at[i];

		if (part->not_in_text)
			continue;
		if (shown++)
			putc('\n', report->out);
		if (!part->table) {
			text_facts(report->out, part);
			continue;
		}
		if (report->parts.count > 1) {
			char *title = title_of(part->table);

			fprintf(report->out, "%s:\n", title);
			free(title);
		}
		text_table(report->out, part);
	}
	if (report->legend.cells.count) {
		fputs("\nlegend:\n", report->out);
		text_table(report->out, &report->legend);
	}
}
