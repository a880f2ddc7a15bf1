/* SPDX-License-Identifier: MIT */
/*
 * A report is kept as a list of parts, each a run of facts or a table, until report_end: text
 * needs the widths of columns, and CSV whether there is one table alone.
 */
#include "cli/common/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/escape.h"

/* A REPORT_BOOL column cannot be asked for: booleans are facts. */
enum { REPORT_BOOL = REPORT_HEX + 1 };

struct value {
	int type;	/* enum report_type or REPORT_BOOL */
	union {
		uint64_t u64;
		double f64;
		char *string;	/* or NULL; the report's */
		bool boolean;
	};
};

struct fact {
	char *name;
	char *unit;
	struct value value;
};

struct part {
	char *table;	/* its name, or NULL: facts */
	const struct report_column *columns;
	size_t n_columns;
	struct fact *facts;
	struct value *cells;	/* row by row */
	size_t count, room;	/* facts or cells */
};

struct report {
	FILE *out;
	enum report_format format;
	struct part *parts;
	size_t n_parts;
};

bool parse_report_format(const char *text, enum report_format *format)
{
	static const char *const names[] = { "text", "json", "csv" };

	for (int i = REPORT_TEXT; i <= REPORT_CSV; i++)
		if (!strcmp(text, names[i])) {
			*format = i;
			return true;
		}
	return false;
}

/* ---- collecting -------------------------------------------------------------------------- */

static void *checked(void *memory)
{
	if (!memory)
		command_out_of_memory();
	return memory;
}

static char *copy(const char *s)
{
	return s ? checked(strdup(s)) : NULL;
}

struct report *report_begin(FILE *out, enum report_format format)
{
	struct report *report = checked(calloc(1, sizeof(*report)));

	report->out = out;
	report->format = format;
	return report;
}

static struct part *add_part(struct report *report)
{
	report->parts = checked(reallocarray(report->parts, report->n_parts + 1,
					     sizeof(*report->parts)));
	struct part *part = &report->parts[report->n_parts++];

	*part = (struct part){ 0 };
	return part;
}

/* Makes room for one more of items, an array of the part's. */
static void *grow(struct part *part, void *items, size_t size)
{
	if (part->count < part->room)
		return items;
	part->room = part->room ? 2 * part->room : 16;
	return checked(reallocarray(items, part->room, size));
}

static void add_fact(struct report *report, const char *name, const char *unit, struct value value)
{
	struct part *part = report->n_parts ? &report->parts[report->n_parts - 1] : NULL;

	if (!part || part->table)
		part = add_part(report);
	part->facts = grow(part, part->facts, sizeof(*part->facts));
	part->facts[part->count++] = (struct fact){
		.name = copy(name),
		.unit = copy(unit ? unit : ""),
		.value = value,
	};
}

void report_u64(struct report *report, const char *name, const char *unit, uint64_t value)
{
	add_fact(report, name, unit, (struct value){ .type = REPORT_U64, .u64 = value });
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
	add_fact(report, name, "", (struct value){ .type = REPORT_STRING, .string = copy(value) });
}

void report_table(struct report *report, const char *name, const struct report_column *columns)
{
	struct part *part = add_part(report);

	part->table = copy(name);
	part->columns = columns;
	while (columns[part->n_columns].name)
		part->n_columns++;
}

static void add_cell(struct part *part, struct value value)
{
	part->cells = grow(part, part->cells, sizeof(*part->cells));
	part->cells[part->count++] = value;
}

void report_row(struct report *report, ...)
{
	struct part *part = &report->parts[report->n_parts - 1];
	va_list arguments;

	va_start(arguments, report);
	for (size_t i = 0; i < part->n_columns; i++) {
		struct value value = { .type = part->columns[i].type };

		switch (part->columns[i].type) {
		case REPORT_U64:
		case REPORT_HEX:
			value.u64 = va_arg(arguments, uint64_t);
			break;
		case REPORT_F64:
			value.f64 = va_arg(arguments, double);
			break;
		case REPORT_STRING:
			value.string = copy(va_arg(arguments, const char *));
			break;
		}
		add_cell(part, value);
	}
	va_end(arguments);
}

/* Returns the first column behind the label's, if there is one. */
static size_t add_label(struct part *part, const char *label)
{
	if (!label)
		return 0;
	add_cell(part, (struct value){ .type = REPORT_STRING, .string = copy(label) });
	return 1;
}

void report_row_of_counts(struct report *report, const char *label, const uint64_t *values)
{
	struct part *part = &report->parts[report->n_parts - 1];

	for (size_t i = add_label(part, label); i < part->n_columns; i++)
		add_cell(part, (struct value){ .type = REPORT_U64, .u64 = *values++ });
}

void report_row_of_cells(struct report *report, const struct report_cell *cells)
{
	struct part *part = &report->parts[report->n_parts - 1];

	for (size_t i = 0; i < part->n_columns; i++) {
		struct value value = { .type = part->columns[i].type };

		if (!cells[i].known)
			value = (struct value){ .type = REPORT_STRING };
		else if (value.type == REPORT_STRING)
			value.string = copy(cells[i].string);
		else if (value.type == REPORT_F64)
			value.f64 = cells[i].f64;
		else
			value.u64 = cells[i].u64;
		add_cell(part, value);
	}
}

void report_row_of_known(struct report *report, const char *label, const uint64_t *values,
			 const bool *known)
{
	struct part *part = &report->parts[report->n_parts - 1];

	for (size_t i = add_label(part, label); i < part->n_columns; i++, values++)
		if (*known++)
			add_cell(part, (struct value){ .type = part->columns[i].type,
						       .u64 = *values });
		else
			add_cell(part, (struct value){ .type = REPORT_STRING });
}

/* ---- text -------------------------------------------------------------------------------- */

static bool is_number(int type)
{
	return type == REPORT_U64 || type == REPORT_F64 || type == REPORT_HEX;
}

/* "1,234.500". Free it. */
static char *text_of_double(double value)
{
	char count[COUNT_SIZE];
	char *text;
	int length;

	if (!isfinite(value))
		length = asprintf(&text, "-");
	else if (value && fabs(value) < 0.001)
		length = asprintf(&text, "%.2e", value);
	else if (fabs(value) >= 1e15)
		length = asprintf(&text, "%.15g", value);
	else {
		uint64_t thousandths = (uint64_t)(fabs(value) * 1000 + 0.5);

		length = asprintf(&text, "%s%s.%03u", value < 0 ? "-" : "",
				  format_count(thousandths / 1000, count),
				  (unsigned)(thousandths % 1000));
	}
	if (length < 0)
		command_out_of_memory();
	return text;
}

/* A value as text shows it. Free it. */
static char *text_of(const struct value *value)
{
	char number[COUNT_SIZE];

	switch (value->type) {
	case REPORT_U64:
		return copy(format_count(value->u64, number));
	case REPORT_HEX:
		sprintf(number, "0x%" PRIx64, value->u64);
		return copy(number);
	case REPORT_F64:
		return text_of_double(value->f64);
	case REPORT_BOOL:
		return copy(value->boolean ? "yes" : "no");
	default:
		return value->string ? escape_text(value->string) : copy("-");
	}
}

/* A name as text shows it: blanks for underscores. Free it. */
static char *title_of(const char *name)
{
	char *title = copy(name);

	for (char *p = title; *p; p++)
		if (*p == '_')
			*p = ' ';
	return title;
}

static void put_blanks(FILE *out, size_t count)
{
	fprintf(out, "%*s", (int)count, "");
}

static size_t widest(size_t width, const char *text)
{
	size_t length = utf8_length(text);

	return length > width ? length : width;
}

static void text_facts(FILE *out, const struct part *part)
{
	char **values = checked(calloc(part->count + 1, sizeof(*values)));
	size_t name_width = 0, number_width = 0;

	for (size_t i = 0; i < part->count; i++) {
		values[i] = text_of(&part->facts[i].value);
		name_width = widest(name_width, part->facts[i].name);
		if (is_number(part->facts[i].value.type))
			number_width = widest(number_width, values[i]);
	}
	for (size_t i = 0; i < part->count; i++) {
		const struct fact *fact = &part->facts[i];
		char *title = title_of(fact->name);

		fputs(title, out);
		put_blanks(out, name_width - utf8_length(title) + 2);
		if (is_number(fact->value.type))
			put_blanks(out, number_width - utf8_length(values[i]));
		fprintf(out, "%s%s%s\n", values[i], *fact->unit ? " " : "", fact->unit);
		free(title);
		free(values[i]);
	}
	free(values);
}

/* The head of a column: its name, and its unit unless the name says it. Free it. */
static char *head_of(const struct report_column *column)
{
	char *title = title_of(column->name);
	char *head;

	if (!column->unit || !*column->unit || !strcmp(column->unit, column->name))
		return title;
	if (asprintf(&head, "%s [%s]", title, column->unit) < 0)
		command_out_of_memory();
	free(title);
	return head;
}

static void text_table(FILE *out, const struct part *part)
{
	size_t n_columns = part->n_columns;
	size_t count = n_columns + part->count;
	char **cells = checked(calloc(count + 1, sizeof(*cells)));
	size_t *widths = checked(calloc(n_columns + 1, sizeof(*widths)));

	for (size_t i = 0; i < count; i++) {
		cells[i] = i < n_columns ? head_of(&part->columns[i]) :
					   text_of(&part->cells[i - n_columns]);
		widths[i % n_columns] = widest(widths[i % n_columns], cells[i]);
	}
	for (size_t i = 0; i < count; i++) {
		size_t column = i % n_columns;
		size_t blanks = widths[column] - utf8_length(cells[i]);
		bool last = column + 1 == n_columns;

		if (is_number(part->columns[column].type)) {
			put_blanks(out, blanks);
			blanks = 0;
		}
		fputs(cells[i], out);
		if (last)
			putc('\n', out);
		else
			put_blanks(out, blanks + 2);
		free(cells[i]);
	}
	free(widths);
	free(cells);
}

static void write_text(const struct report *report)
{
	for (size_t i = 0; i < report->n_parts; i++) {
		const struct part *part = &report->parts[i];

		if (i)
			putc('\n', report->out);
		if (!part->table) {
			text_facts(report->out, part);
			continue;
		}
		if (report->n_parts > 1) {
			char *title = title_of(part->table);

			fprintf(report->out, "%s:\n", title);
			free(title);
		}
		text_table(report->out, part);
	}
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *json_string_of(const char *s)
{
	char *valid = escape_utf8(s);
	json_t *string = json_string_nocheck(valid);

	free(valid);
	return string;
}

static json_t *json_of(const struct value *value)
{
	char number[32];

	switch (value->type) {
	case REPORT_U64:
		if (value->u64 <= INT64_MAX)
			return json_integer((json_int_t)value->u64);
		sprintf(number, "%" PRIu64, value->u64);
		return json_string(number);
	case REPORT_HEX:
		sprintf(number, "0x%" PRIx64, value->u64);
		return json_string(number);
	case REPORT_F64:
		return isfinite(value->f64) ? json_real(value->f64) : json_null();
	case REPORT_BOOL:
		return json_boolean(value->boolean);
	default:
		return value->string ? json_string_of(value->string) : json_null();
	}
}

static void json_member(json_t *object, const char *name, json_t *value)
{
	if (json_object_set_new_nocheck(object, name, value))
		command_out_of_memory();
}

static json_t *json_table(const struct part *part)
{
	json_t *table = checked(json_array());

	for (size_t i = 0; i < part->count; i += part->n_columns) {
		json_t *row = checked(json_object());

		for (size_t j = 0; j < part->n_columns; j++)
			json_member(row, part->columns[j].name, json_of(&part->cells[i + j]));
		if (json_array_append_new(table, row))
			command_out_of_memory();
	}
	return table;
}

static void write_json(const struct report *report)
{
	json_t *root = checked(json_object());

	for (size_t i = 0; i < report->n_parts; i++) {
		const struct part *part = &report->parts[i];

		if (part->table)
			json_member(root, part->table, json_table(part));
		else
			for (size_t j = 0; j < part->count; j++)
				json_member(root, part->facts[j].name,
					    json_of(&part->facts[j].value));
	}
	json_dumpf(root, report->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	putc('\n', report->out);
	json_decref(root);
}

/* ---- CSV --------------------------------------------------------------------------------- */

static void csv_value(FILE *out, const struct value *value)
{
	switch (value->type) {
	case REPORT_U64:
		fprintf(out, "%" PRIu64, value->u64);
		break;
	case REPORT_HEX:
		fprintf(out, "0x%" PRIx64, value->u64);
		break;
	case REPORT_F64:
		if (isfinite(value->f64))
			fprintf(out, "%.15g", value->f64);
		break;
	case REPORT_BOOL:
		fputs(value->boolean ? "true" : "false", out);
		break;
	default:
		if (value->string)
			put_csv(out, value->string);
	}
}

static void csv_facts(FILE *out, const struct part *part)
{
	fputs("name,value,unit\n", out);
	for (size_t i = 0; i < part->count; i++) {
		put_csv(out, part->facts[i].name);
		putc(',', out);
		csv_value(out, &part->facts[i].value);
		putc(',', out);
		put_csv(out, part->facts[i].unit);
		putc('\n', out);
	}
}

static void csv_table(FILE *out, const struct part *part)
{
	for (size_t i = 0; i < part->n_columns; i++) {
		put_csv(out, part->columns[i].name);
		putc(i + 1 < part->n_columns ? ',' : '\n', out);
	}
	for (size_t i = 0; i < part->count; i++) {
		csv_value(out, &part->cells[i]);
		putc((i + 1) % part->n_columns ? ',' : '\n', out);
	}
}

static void write_csv(const struct report *report)
{
	for (size_t i = 0; i < report->n_parts; i++) {
		const struct part *part = &report->parts[i];

		if (i)
			putc('\n', report->out);
		if (!part->table) {
			csv_facts(report->out, part);
			continue;
		}
		if (report->n_parts > 1)
			fprintf(report->out, "# %s\n", part->table);
		csv_table(report->out, part);
	}
}

/* ------------------------------------------------------------------------------------------ */

static void free_value(struct value *value)
{
	if (value->type == REPORT_STRING)
		free(value->string);
}

static void free_part(struct part *part)
{
	for (size_t i = 0; part->facts && i < part->count; i++) {
		free(part->facts[i].name);
		free(part->facts[i].unit);
		free_value(&part->facts[i].value);
	}
	for (size_t i = 0; part->cells && i < part->count; i++)
		free_value(&part->cells[i]);
	free(part->facts);
	free(part->cells);
	free(part->table);
}

void report_write(const struct report *report, FILE *out, enum report_format format)
{
	const struct report other = {
		.out = out, .parts = report->parts, .n_parts = report->n_parts,
	};

	if (format == REPORT_TEXT)
		write_text(&other);
	else if (format == REPORT_JSON)
		write_json(&other);
	else
		write_csv(&other);
}

void report_end(struct report *report)
{
	report_write(report, report->out, report->format);
	for (size_t i = 0; i < report->n_parts; i++)
		free_part(&report->parts[i]);
	free(report->parts);
	free(report);
}
