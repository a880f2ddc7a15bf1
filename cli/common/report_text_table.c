/* SPDX-License-Identifier: MIT */
/*
 * Writes a table of a report as text.
 *
 * A table that is fitted to a width has the name of a row second, behind the number that orders the
 * rows. If the table is too wide, units stand below the names of columns. Names may become as
 * narrow as NARROW_NAME. If that is not enough, columns of numbers are dropped from the right,
 * because those at the left are the more important ones, and then names.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/common/escape.h"
#include "cli/common/put.h"
#include "cli/common/report_text.h"
#include "cli/common/short_names.h"

enum { GAP = 2, NARROW_NAME = 24, NARROW_PLACE = 12, NARROWEST_NAME = 12 };

/* A table that is laid out. */
struct text_table {
	const struct part *part;
	char **cells;   /* row by row; the first row has the heads */
	char **units;   /* by column, if they stand below the heads; else NULL */
	size_t count;   /* of cells */
	size_t *widths; /* by column, in characters; 0: the column is not shown */
	size_t *order;  /* the columns from left to right */
	bool *dropped;  /* by column, for want of room */
	size_t name;    /* the column with the names of rows, if the table is fitted */
};

/*
 * Returns the head of a column: its name, and its unit unless that is the name. The caller frees
 * it.
 */
static char *head_of(const struct report_column *column)
{
	char *title = report_title(column->name);

	if (!column->unit || !*column->unit || !strcmp(column->unit, column->name))
		return title;
	char *head = text_format("%s [%s]", title, column->unit);

	free(title);
	return head;
}

static bool is_numeric(const struct text_table *t, size_t column)
{
	return report_is_number(t->part->columns[column].type);
}

/* Returns whether a column has values. A column of numbers that are all unknown is not shown. */
static bool has_values(const struct text_table *t, size_t column)
{
	size_t n_columns = t->part->n_columns;
	bool shown = !is_numeric(t, column) || t->count == n_columns;

	for (size_t i = n_columns + column; i < t->count && !shown; i += n_columns)
		shown = strcmp(t->cells[i], "-");
	return shown;
}

static void measure(struct text_table *t, size_t column)
{
	size_t n_columns = t->part->n_columns;

	t->widths[column] = t->units ? utf8_length(t->units[column]) : 0;
	for (size_t i = column; i < t->count; i += n_columns)
		t->widths[column] = report_widest(t->widths[column], t->cells[i]);
}

static struct text_table lay_out(const struct part *part)
{
	size_t n_columns = part->n_columns;
	struct text_table t = { .part = part, .count = n_columns + part->cells.count };

	t.cells = checked_array(t.count, sizeof(*t.cells));
	t.widths = checked_array(n_columns, sizeof(*t.widths));
	t.order = checked_array(n_columns, sizeof(*t.order));
	t.dropped = checked_array(n_columns, sizeof(*t.dropped));
	for (size_t i = 0; i < t.count; i++)
		t.cells[i] = i < n_columns ? head_of(&part->columns[i])
					   : report_text_of(&part->cells.at[i - n_columns]);
	for (size_t i = 0; i < n_columns; i++) {
		t.order[i] = i;
		if (has_values(&t, i))
			measure(&t, i);
	}
	return t;
}

/* ---- units below heads ------------------------------------------------------------------- */

/* Returns where the unit begins at the end of a head, or NULL: "size [blocks]", "share percent". */
static char *unit_in(char *head)
{
	char *unit = strrchr(head, '['), *blank = strrchr(head, ' ');

	if (!unit && blank && (!strcmp(blank + 1, "percent") || !strcmp(blank + 1, "bytes")))
		unit = blank + 1;
	return unit > head ? unit : NULL;
}

static void put_units_below(struct text_table *t)
{
	size_t n_columns = t->part->n_columns;

	t->units = checked_array(n_columns, sizeof(*t->units));
	for (size_t i = 0; i < n_columns; i++) {
		char *unit = unit_in(t->cells[i]);

		t->units[i] = checked_copy(unit ? unit : "");
		if (unit)
			unit[-1] = '\0';
		if (t->widths[i])
			measure(t, i);
	}
}

/* ---- fitting ----------------------------------------------------------------------------- */

static size_t total_width(const struct text_table *t)
{
	size_t width = 0;

	for (size_t i = 0; i < t->part->n_columns; i++)
		if (t->widths[i])
			width += t->widths[i] + (width ? GAP : 0);
	return width;
}

/*
 * Finds the names of rows: the last column of texts. If the first column has texts, it is that one,
 * unless its texts are short, such as levels of caches, and others are longer. Modules only say
 * where the names are.
 */
static bool find_names(struct text_table *t)
{
	bool found = false, first = t->widths[0] && !is_numeric(t, 0);

	for (size_t i = 0; i < t->part->n_columns; i++) {
		if (!t->widths[i] || is_numeric(t, i) ||
		    (found && !strcmp(t->part->columns[i].name, "module")))
			continue;
		if (!first || !found || t->widths[i] > t->widths[t->name])
			t->name = i;
		if (first && t->widths[0] > NARROW_PLACE)
			return true;
		found = true;
	}
	return found;
}

/* Moves the names of rows behind the first column. */
static void put_names_second(struct text_table *t)
{
	for (size_t i = t->name; i > 1; i--)
		t->order[i] = t->order[i - 1];
	if (t->name > 1)
		t->order[1] = t->name;
}

/* Returns the width below which a column of texts is not narrowed while numbers can be dropped. */
static size_t narrow_width(const struct text_table *t, size_t column)
{
	size_t narrow = column == t->name ? NARROW_NAME : NARROW_PLACE;

	return t->widths[column] < narrow ? t->widths[column] : narrow;
}

/* Returns how many characters names can give before numbers are dropped. */
static size_t slack(const struct text_table *t)
{
	size_t slack = 0;

	for (size_t i = 0; i < t->part->n_columns; i++)
		if (t->widths[i] && !is_numeric(t, i))
			slack += t->widths[i] - narrow_width(t, i);
	return slack;
}

static void drop(struct text_table *t, size_t column)
{
	t->widths[column] = 0;
	t->dropped[column] = true;
}

/* Drops the last column of numbers, or else of texts, but neither the first nor the names. */
static bool drop_one(struct text_table *t)
{
	for (int numeric = 1; numeric >= 0; numeric--)
		for (size_t i = t->part->n_columns; i-- > 1;)
			if (t->widths[i] && i != t->name && is_numeric(t, i) == (bool)numeric) {
				drop(t, i);
				return true;
			}
	return false;
}

/* Returns what the texts of a column are. */
static enum name_kind kind_of(const struct text_table *t, size_t column)
{
	static const struct {
		const char *name;
		enum name_kind kind;
	} known[] = { { "function", NAMES_OF_FUNCTIONS },
		      { "symbol", NAMES_OF_FUNCTIONS },
		      { "call_path", CALL_PATHS },
		      { "path", CALL_PATHS } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(t->part->columns[column].name, known[i].name))
			return known[i].kind;
	return NAMES_OF_ANYTHING;
}

/* Shortens the texts of a column, but not its head, to a width. */
static void narrow(struct text_table *t, size_t column, size_t width)
{
	size_t n_columns = t->part->n_columns;
	size_t head = utf8_length(t->cells[column]);

	shorten_names(t->cells + n_columns + column, t->count / n_columns - 1, n_columns,
		      width > head ? width : head, kind_of(t, column));
	measure(t, column);
}

/* Narrows the columns of texts, other ones before the names, until the table fits. */
static void narrow_texts(struct text_table *t, size_t width)
{
	for (size_t i = t->part->n_columns; i-- > 0;) {
		size_t excess = total_width(t) > width ? total_width(t) - width : 0;

		if (excess && i != t->name && t->widths[i] && !is_numeric(t, i)) {
			size_t most = t->widths[i] - narrow_width(t, i);

			narrow(t, i, t->widths[i] - (excess < most ? excess : most));
		}
	}
	if (total_width(t) > width) {
		size_t excess = total_width(t) - width;

		narrow(t, t->name,
		       t->widths[t->name] > excess + NARROWEST_NAME ? t->widths[t->name] - excess
								    : NARROWEST_NAME);
	}
}

static void fit(struct text_table *t, size_t width)
{
	bool named = find_names(t);

	if (named)
		put_names_second(t);
	if (total_width(t) > width)
		put_units_below(t);
	while (total_width(t) > width + slack(t) && drop_one(t))
		;
	if (named && total_width(t) > width)
		narrow_texts(t, width);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void put_cell(FILE *out, const struct text_table *t, const char *cell, size_t column,
		     bool last)
{
	size_t blanks = t->widths[column] - utf8_length(cell);

	if (is_numeric(t, column)) {
		put_blanks(out, blanks);
		blanks = 0;
	}
	fputs(cell, out);
	if (!last)
		put_blanks(out, blanks + GAP);
}

static void put_row(FILE *out, const struct text_table *t, char **cells)
{
	size_t last = 0;

	for (size_t i = 0; i < t->part->n_columns; i++)
		if (t->widths[t->order[i]] && *cells[t->order[i]])
			last = i;
	for (size_t i = 0; i <= last; i++)
		if (t->widths[t->order[i]])
			put_cell(out, t, cells[t->order[i]], t->order[i], i == last);
	putc('\n', out);
}

/*
 * Writes a word, behind a blank or, if the width would be exceeded, in a new line behind an indent.
 */
static void put_word(FILE *out, const char *word, size_t *column, size_t indent, size_t width)
{
	size_t length = utf8_length(word);

	if (*column + 1 + length > width) {
		putc('\n', out);
		put_blanks(out, indent);
		*column = indent;
	} else {
		putc(' ', out);
		++*column;
	}
	fputs(word, out);
	*column += length;
}

void report_put_wrapped(FILE *out, const char *text, size_t indent, size_t width)
{
	char *words = checked_copy(text), *rest = words, *word = strsep(&rest, " ");
	size_t column = indent + utf8_length(word);

	fputs(word, out);
	while ((word = strsep(&rest, " ")))
		put_word(out, word, &column, indent, width);
	free(words);
}

/* Writes the units below the heads, if a column that is shown has one there. */
static void put_units(FILE *out, const struct text_table *t)
{
	for (size_t i = 0; t->units && i < t->part->n_columns; i++)
		if (t->widths[i] && *t->units[i]) {
			put_row(out, t, t->units);
			return;
		}
}

/* Names the columns that were dropped. */
static void put_note(FILE *out, const struct text_table *t, size_t width)
{
	static const char begin[] = "(--wide also shows:";
	size_t column = sizeof(begin) - 1, left = 0;

	for (size_t i = 0; i < t->part->n_columns; i++)
		left += t->dropped[i];
	if (!left)
		return;
	fputs(begin, out);
	for (size_t i = 0; i < t->part->n_columns; i++)
		if (t->dropped[i]) {
			const char *unit = t->units ? t->units[i] : "";
			char *word = text_format("%s%s%s%s", t->cells[i], *unit ? " " : "", unit,
						 --left ? "," : ")");

			put_word(out, word, &column, 0, width);
			free(word);
		}
	putc('\n', out);
}

static void free_table(struct text_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i]);
	for (size_t i = 0; t->units && i < t->part->n_columns; i++)
		free(t->units[i]);
	free(t->cells);
	free(t->units);
	free(t->widths);
	free(t->order);
	free(t->dropped);
}

void report_put_text_table(FILE *out, const struct part *part, size_t width)
{
	struct text_table t = lay_out(part);

	if (width)
		fit(&t, width);
	for (size_t i = 0; i < t.count; i += part->n_columns) {
		put_row(out, &t, t.cells + i);
		if (i == 0)
			put_units(out, &t);
	}
	put_note(out, &t, width);
	free_table(&t);
}

void report_put_legend(FILE *out, const struct part *legend, size_t width)
{
	struct text_table t = lay_out(legend);

	for (size_t i = 0; i < t.count; i += legend->n_columns) {
		put_cell(out, &t, t.cells[i], 0, false);
		report_put_wrapped(out, t.cells[i + 1], t.widths[0] + GAP,
				   width ? width : SIZE_MAX);
		putc('\n', out);
	}
	free_table(&t);
}
