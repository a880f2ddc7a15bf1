/* SPDX-License-Identifier: MIT */
#include "cli/common/report_tables.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/report_parts.h"

static const char facts[] = "facts";

void report_fit(struct report *report, const struct table_options *options, FILE *out)
{
	struct winsize size;

	report->width = 0;
	if (options->wide)
		return;
	if (options->width)
		report->width = options->width;
	else if (out && isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size))
		report->width = size.ws_col;
}

/* ---- tables ------------------------------------------------------------------------------ */

static const char *name_of(const struct part *part)
{
	return part->table ? part->table : facts;
}

/* Moves all facts into the part that has the first ones. */
static void join_facts(struct report *report)
{
	struct part *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < report->parts.count; i++) {
		struct part *part = &report->parts.at[i];

		if (part->table || !first) {
			report->parts.at[n] = *part;
			first = part->table ? first : &report->parts.at[n];
			n++;
			continue;
		}
		CHECKED_RESERVE(first->facts, first->facts.count + part->facts.count);
		memcpy(first->facts.at + first->facts.count, part->facts.at,
		       part->facts.count * sizeof(*part->facts.at));
		first->facts.count += part->facts.count;
		free(part->facts.at);
	}
	report->parts.count = n;
}

/* Returns table i, or NULL if there are not so many. Facts count where the first of them are. */
static const struct part *find_table(const struct report *report, size_t i)
{
	bool seen = false;

	for (size_t p = 0; p < report->parts.count; p++) {
		const struct part *part = &report->parts.at[p];

		if (part->only_in_text || (!part->table && seen))
			continue;
		seen |= !part->table;
		if (i-- == 0)
			return part;
	}
	return NULL;
}

size_t report_count_tables(const struct report *report)
{
	size_t count = 0;

	while (find_table(report, count))
		count++;
	return count;
}

const char *report_table_name(const struct report *report, size_t i)
{
	return name_of(find_table(report, i));
}

/* Writes all facts as a CSV file. */
static void write_facts(const struct report *report, FILE *out)
{
	bool begun = false;

	for (size_t i = 0; i < report->parts.count; i++)
		if (!report->parts.at[i].table) {
			report_write_csv_facts(out, &report->parts.at[i], !begun);
			begun = true;
		}
}

void report_write_table(const struct report *report, size_t i, FILE *out)
{
	const struct part *part = find_table(report, i);

	if (part->table)
		report_write_csv_table(out, part);
	else
		write_facts(report, out);
}

/* Returns "facts, points and strata". The caller frees it. */
static char *list_tables(const struct report *report)
{
	size_t count = report_count_tables(report);
	char *list = checked_copy("");

	for (size_t i = 0; i < count; i++) {
		char *longer = text_format("%s%s%s", list,
					   i == 0           ? ""
					   : i + 1 == count ? " and "
							    : ", ",
					   report_table_name(report, i));

		free(list);
		list = longer;
	}
	return list;
}

int report_select(struct report *report, const char *table)
{
	size_t n = 0;

	if (!table)
		return 0;
	for (size_t i = 0; i < report->parts.count; i++)
		n += !strcmp(name_of(&report->parts.at[i]), table);
	if (!n || report->raw) {
		char *list = report->raw ? checked_copy("none") : list_tables(report);

		command_error("the result has no table '%s'; it has %s", table, list);
		free(list);
		return EXIT_USAGE;
	}
	n = 0;
	for (size_t i = 0; i < report->parts.count; i++)
		if (!strcmp(name_of(&report->parts.at[i]), table))
			report->parts.at[n++] = report->parts.at[i];
		else
			report_free_part(&report->parts.at[i]);
	report->parts.count = n;
	for (size_t i = 0; i < report->legend.cells.count; i++)
		free(report->legend.cells.at[i].string);
	report->legend.cells.count = 0;
	join_facts(report);
	return 0;
}

bool report_is_raw(const struct report *report)
{
	return report->raw;
}

void report_note_tables(const struct report *report)
{
	if (report->format != REPORT_CSV || report->raw || report_count_tables(report) < 2)
		return;
	char *list = list_tables(report);

	command_note("the result has the tables %s; --table=NAME writes one of them as plain CSV",
		     list);
	free(list);
}
