/* SPDX-License-Identifier: MIT */
/*
 * A report is kept as a list of parts, each a run of facts or a table, until report_end: text
 * needs the widths of columns, and CSV must know whether there is only one table.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/option_parsers.h"
#include "cli/common/report_parts.h"

enum { MAX_TYPED = 32 }; /* cells of report_row */

bool report_parse_format(const char *text, enum report_format *format)
{
	unsigned choice;

	if (!parse_choice(text, REPORT_FORMATS, &choice))
		return false;
	*format = choice;
	return true;
}

/* ---- collecting -------------------------------------------------------------------------- */

static void begin_table(struct part *part, const char *name, const struct report_column *columns)
{
	part->table = checked_copy(name);
	while (columns[part->n_columns].name)
		part->n_columns++;
	part->columns = checked_array(part->n_columns, sizeof(*columns));
	memcpy(part->columns, columns, part->n_columns * sizeof(*columns));
	for (size_t i = 0; i < part->n_columns; i++)
		if (!part->columns[i].unit)
			part->columns[i].unit = "";
}

struct report *report_begin(FILE *out, enum report_format format)
{
	static const struct report_column legend[] = {
		{ "name", REPORT_STRING, "" },
		{ "meaning", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	struct report *report = checked(calloc(1, sizeof(*report)));

	report->out = out;
	report->format = format;
	begin_table(&report->legend, "legend", legend);
	return report;
}

static struct part *add_part(struct report *report)
{
	CHECKED_RESERVE(report->parts, report->parts.count + 1);
	return &report->parts.at[report->parts.count++];
}

static struct part *last_part(struct report *report)
{
	return &report->parts.at[report->parts.count - 1];
}

/* Returns the part to which the next fact belongs, or NULL if a new part is needed. */
static struct part *last_facts(struct report *report)
{
	size_t n = report->parts.count;

	while (n && report->parts.at[n - 1].only_in_text)
		n--;
	return n && !report->parts.at[n - 1].table ? &report->parts.at[n - 1] : NULL;
}

static void add_cell(struct part *part, struct value value)
{
	CHECKED_RESERVE(part->cells, part->cells.count + 1);
	part->cells.at[part->cells.count++] = value;
}

static void add_fact(struct report *report, const char *name, const char *unit, struct value value)
{
	struct part *part = last_facts(report);

	if (!part)
		part = add_part(report);
	CHECKED_RESERVE(part->facts, part->facts.count + 1);
	part->facts.at[part->facts.count++] = (struct fact){
		.name = checked_copy(name),
		.unit = checked_copy(unit ? unit : ""),
		.value = value,
	};
}

void report_u64(struct report *report, const char *name, const char *unit, uint64_t value)
{
	add_fact(report, name, unit, (struct value){ .type = REPORT_U64, .u64 = value });
}

void report_id(struct report *report, const char *name, uint64_t value)
{
	add_fact(report, name, "", (struct value){ .type = REPORT_ID, .u64 = value });
}

void report_f64(struct report *report, const char *name, const char *unit, double value)
{
	add_fact(report, name, unit, (struct value){ .type = REPORT_F64, .f64 = value });
}

void report_bool(struct report *report, const char *name, bool value)
{
	add_fact(report, name, "", (struct value){ .type = REPORT_BOOL, .boolean = value });
}

void report_string(struct report *report, const char *name, const char *value)
{
	add_fact(report, name, "",
		 (struct value){ .type = REPORT_STRING, .string = checked_copy(value) });
}

static struct fact *last_fact(struct report *report)
{
	struct part *part = last_facts(report);

	return &part->facts.at[part->facts.count - 1];
}

void report_remark(struct report *report, const char *remark)
{
	last_fact(report)->remark = checked_copy(remark);
}

void report_define(struct report *report, const char *name, const char *meaning)
{
	add_cell(&report->legend, (struct value){ REPORT_NAME, .string = checked_copy(name) });
	add_cell(&report->legend, (struct value){ REPORT_STRING, .string = checked_copy(meaning) });
}

void report_not_in_text(struct report *report)
{
	last_fact(report)->not_in_text = true;
}

void report_text_table(struct report *report, const char *name, const struct report_column *columns)
{
	report_table(report, name, columns);
	last_part(report)->only_in_text = true;
}

void report_data_table(struct report *report, const char *name, const struct report_column *columns)
{
	report_table(report, name, columns);
	last_part(report)->not_in_text = true;
}

void report_table(struct report *report, const char *name, const struct report_column *columns)
{
	begin_table(add_part(report), name, columns);
}

/* Adds the cell of a label, if there is one. Returns the number of cells added. */
static size_t add_label(struct part *part, const char *label)
{
	if (!label)
		return 0;
	add_cell(part, (struct value){ .type = REPORT_STRING, .string = checked_copy(label) });
	return 1;
}

void report_row_of_counts(struct report *report, const char *label, const uint64_t *values)
{
	struct part *part = last_part(report);

	for (size_t i = add_label(part, label); i < part->n_columns; i++)
		add_cell(part, (struct value){ .type = REPORT_U64, .u64 = *values++ });
}

void report_row_of_cells(struct report *report, const struct report_cell *cells)
{
	struct part *part = last_part(report);

	for (size_t i = 0; i < part->n_columns; i++) {
		struct value value = { .type = part->columns[i].type };

		if (!cells[i].known)
			value = (struct value){ .type = REPORT_STRING };
		else if (value.type == REPORT_STRING)
			value.string = checked_copy(cells[i].string);
		else if (value.type == REPORT_F64)
			value.f64 = cells[i].f64;
		else
			value.u64 = cells[i].u64;
		add_cell(part, value);
	}
}

/* Returns whether a cell has the type of a column. An integer is converted for an F64 column. */
static bool fits(struct report_cell *cell, const struct report_column *column)
{
	if (column->type == REPORT_STRING)
		return cell->type == REPORT_IS_TEXT;
	if (column->type == REPORT_F64 && cell->type == REPORT_IS_INTEGER) {
		cell->f64 = (double)cell->u64;
		return true;
	}
	return cell->type == (column->type == REPORT_F64 ? REPORT_IS_REAL : REPORT_IS_INTEGER);
}

void report_row_of_typed(struct report *report, size_t count, const struct report_cell *cells)
{
	struct part *part = last_part(report);
	struct report_cell row[MAX_TYPED];

	if (count != part->n_columns || count > MAX_TYPED) {
		command_error("a row of %zu cells for the %zu columns of table '%s'", count,
			      part->n_columns, part->table);
		abort();
	}
	for (size_t i = 0; i < count; i++) {
		row[i] = cells[i];
		if (fits(&row[i], &part->columns[i]))
			continue;
		command_error("a cell of another type than column '%s' of table '%s'",
			      part->columns[i].name, part->table);
		abort();
	}
	report_row_of_cells(report, row);
}

void report_row_of_known(struct report *report, const char *label, const uint64_t *values,
			 const bool *known)
{
	struct part *part = last_part(report);

	for (size_t i = add_label(part, label); i < part->n_columns; i++, values++)
		if (*known++)
			add_cell(part,
				 (struct value){ .type = part->columns[i].type, .u64 = *values });
		else
			add_cell(part, (struct value){ .type = REPORT_STRING });
}

/* ---- ending ------------------------------------------------------------------------------ */

static void free_value(struct value *value)
{
	if (value->type == REPORT_STRING || value->type == REPORT_NAME)
		free(value->string);
}

void report_free_part(struct part *part)
{
	for (size_t i = 0; i < part->facts.count; i++) {
		free(part->facts.at[i].name);
		free(part->facts.at[i].unit);
		free(part->facts.at[i].remark);
		free_value(&part->facts.at[i].value);
	}
	for (size_t i = 0; i < part->cells.count; i++)
		free_value(&part->cells.at[i]);
	for (size_t i = 0; part->owns_columns && i < part->n_columns; i++) {
		free((char *)part->columns[i].name);
		free((char *)part->columns[i].unit);
	}
	free(part->facts.at);
	free(part->cells.at);
	free(part->columns);
	free(part->table);
}

void report_raw(struct report *report, void *bytes, size_t size)
{
	free(report->raw);
	report->raw = bytes;
	report->raw_size = size;
}

void report_write(const struct report *report, FILE *out, enum report_format format)
{
	struct report other = *report;

	other.out = out;
	if (report->raw)
		fwrite(report->raw, 1, report->raw_size, out);
	else if (format == REPORT_TEXT)
		report_write_text(&other);
	else if (format == REPORT_JSON)
		report_write_json(&other);
	else
		report_write_csv(&other);
}

void report_free(struct report *report)
{
	for (size_t i = 0; i < report->parts.count; i++)
		report_free_part(&report->parts.at[i]);
	free(report->parts.at);
	report_free_part(&report->legend);
	free(report->raw);
	free(report);
}

void report_end(struct report *report)
{
	report_write(report, report->out, report->format);
	report_free(report);
}
