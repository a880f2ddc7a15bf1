/* SPDX-License-Identifier: MIT */
/* Writes a report as text: facts aligned, tables in columns. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/escape.h"
#include "cli/common/put.h"
#include "cli/common/quantity.h"
#include "cli/common/report_text.h"

bool report_is_number(int type)
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

char *report_title(const char *name)
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

char *report_text_of(const struct value *value)
{
	char number[COUNT_SIZE];

	switch (value->type) {
	case REPORT_U64: return checked_copy(format_count(value->u64, number));
	case REPORT_ID: return text_format("%" PRIu64, value->u64);
	case REPORT_HEX: sprintf(number, "0x%" PRIx64, value->u64); return checked_copy(number);
	case REPORT_F64: return text_of_double(value->f64);
	case REPORT_CHANGE: return text_of_change((int64_t)value->u64);
	case REPORT_BOOL: return checked_copy(value->boolean ? "yes" : "no");
	case REPORT_NAME: return report_title(value->string);
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

/* Writes the unit behind a value, in the singular behind 1. Returns how many characters it took. */
static size_t put_unit(FILE *out, const struct fact *fact)
{
	bool is_one = fact->value.type == REPORT_U64 && fact->value.u64 == 1;
	int length = is_one ? singular_length(fact->unit) : (int)strlen(fact->unit);

	if (!length)
		return 0;
	fprintf(out, " %.*s", length, fact->unit);
	return (size_t)length + 1;
}

size_t report_widest(size_t width, const char *text)
{
	size_t length = utf8_length(text);

	return length > width ? length : width;
}

/* The widths of the columns of facts. */
struct fact_widths {
	size_t name, number;
	size_t all; /* of a line; 0: any */
};

enum { GAP = 2 };

/* Writes a remark behind a fact that ends at a column, or in lines of its own. */
static void put_remark(FILE *out, const char *remark, size_t column,
		       const struct fact_widths *widths)
{
	char *text = text_format("(%s)", remark);

	if (widths->all && column + GAP + utf8_length(text) > widths->all) {
		putc('\n', out);
		column = 0;
	}
	put_blanks(out, GAP);
	report_put_wrapped(out, text, column + GAP, widths->all ? widths->all : SIZE_MAX);
	free(text);
}

static void put_fact(FILE *out, const struct fact *fact, const char *value,
		     const struct fact_widths *widths)
{
	char *title = report_title(fact->name);
	size_t column = widths->name + GAP + utf8_length(value);

	fputs(title, out);
	put_blanks(out, widths->name - utf8_length(title) + GAP);
	if (report_is_number(fact->value.type)) {
		put_blanks(out, widths->number - utf8_length(value));
		column = widths->name + GAP + widths->number;
	}
	fputs(value, out);
	column += put_unit(out, fact);
	if (fact->remark)
		put_remark(out, fact->remark, column, widths);
	putc('\n', out);
	free(title);
}

static void text_facts(FILE *out, const struct part *part, size_t width)
{
	char **values = checked(calloc(part->facts.count + 1, sizeof(*values)));
	struct fact_widths widths = { .all = width };

	for (size_t i = 0; i < part->facts.count; i++) {
		if (part->facts.at[i].not_in_text)
			continue;
		values[i] = report_text_of(&part->facts.at[i].value);
		widths.name = report_widest(widths.name, part->facts.at[i].name);
		if (report_is_number(part->facts.at[i].value.type))
			widths.number = report_widest(widths.number, values[i]);
	}
	for (size_t i = 0; i < part->facts.count; i++) {
		if (!part->facts.at[i].not_in_text)
			put_fact(out, &part->facts.at[i], values[i], &widths);
		free(values[i]);
	}
	free(values);
}

void report_write_text(const struct report *report)
{
	size_t n_parts = 0, shown = 0;

	for (size_t i = 0; i < report->parts.count; i++)
		n_parts += !report->parts.at[i].not_in_text;
	for (size_t i = 0; i < report->parts.count; i++) {
		const struct part *part = &report->parts.at[i];

		if (part->not_in_text)
			continue;
		if (shown++)
			putc('\n', report->out);
		if (!part->table) {
			text_facts(report->out, part, report->width);
			continue;
		}
		if (n_parts > 1) {
			char *title = report_title(part->table);

			fprintf(report->out, "%s:\n", title);
			free(title);
		}
		report_put_text_table(report->out, part, report->width);
	}
	if (report->legend.cells.count) {
		fputs("\nlegend:\n", report->out);
		report_put_legend(report->out, &report->legend, report->width);
	}
}
