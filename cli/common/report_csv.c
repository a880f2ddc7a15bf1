/* SPDX-License-Identifier: MIT */
/* Writes a report as CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/escape.h"
#include "cli/common/report_parts.h"

static void csv_value(FILE *out, const struct value *value)
{
	switch (value->type) {
	case REPORT_U64:
	case REPORT_ID: fprintf(out, "%" PRIu64, value->u64); break;
	case REPORT_CHANGE: fprintf(out, "%" PRId64, (int64_t)value->u64); break;
	case REPORT_HEX: fprintf(out, "0x%" PRIx64, value->u64); break;
	case REPORT_F64:
		if (isfinite(value->f64))
			fprintf(out, "%.15g", value->f64);
		break;
	case REPORT_BOOL: fputs(value->boolean ? "true" : "false", out); break;
	default:
		if (value->string)
			put_csv(out, value->string);
	}
}

/* Writes the head of a column: its name, and its unit unless that is the name. */
static void csv_head(FILE *out, const struct report_column *column)
{
	if (!*column->unit || !strcmp(column->unit, column->name)) {
		put_csv(out, column->name);
		return;
	}
	char *head = text_format("%s [%s]", column->name, column->unit);

	put_csv(out, head);
	free(head);
}

void report_write_csv_facts(FILE *out, const struct part *part, bool head)
{
	if (head)
		fputs("name,value,unit\n", out);
	for (size_t i = 0; i < part->facts.count; i++) {
		put_csv(out, part->facts.at[i].name);
		putc(',', out);
		csv_value(out, &part->facts.at[i].value);
		putc(',', out);
		put_csv(out, part->facts.at[i].unit);
		putc('\n', out);
	}
}

void report_write_csv_table(FILE *out, const struct part *part)
{
	for (size_t i = 0; i < part->n_columns; i++) {
		csv_head(out, &part->columns[i]);
		putc(i + 1 < part->n_columns ? ',' : '\n', out);
	}
	for (size_t i = 0; i < part->cells.count; i++) {
		csv_value(out, &part->cells.at[i]);
		putc((i + 1) % part->n_columns ? ',' : '\n', out);
	}
}

static void csv_legend(FILE *out, const struct part *legend)
{
	putc('\n', out);
	for (size_t i = 0; i < legend->cells.count; i += 2)
		fprintf(out, "# %s: %s\n", legend->cells.at[i].string,
			legend->cells.at[i + 1].string);
}

void report_write_csv(const struct report *report)
{
	const struct part *legend = &report->legend;
	size_t n_parts = 0, done = 0;
	bool plain = false;

	for (size_t i = 0; i < report->parts.count; i++)
		n_parts += !report->parts.at[i].only_in_text;
	for (size_t i = 0; i < report->parts.count; i++) {
		const struct part *part = &report->parts.at[i];

		if (part->only_in_text)
			continue;
		if (done++)
			putc('\n', report->out);
		if (part->table && n_parts > 1)
			fprintf(report->out, "# %s\n", part->table);
		if (part->table)
			report_write_csv_table(report->out, part);
		else
			report_write_csv_facts(report->out, part, true);
		plain = part->table && n_parts == 1;
	}
	/* A plain CSV file has no room for a legend. */
	if (legend->cells.count && !plain)
		csv_legend(report->out, legend);
}
