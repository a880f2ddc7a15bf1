/* SPDX-License-Identifier: MIT */
/*
 * The tables of a report one by one, and how wide they are: options of all commands with reports.
 * The facts of a report are its table "facts".
 */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "cli/common/tracereport.h"

struct table_options {
	const char *table; /* the only table of the result; NULL: all are shown */
	uint64_t width;    /* characters of a line of text; 0: as wide as the terminal */
	bool wide;         /* lines have any length */
};

/* The rows of a table of options; at(MEMBER) is the offset of a member of struct table_options. */
#define TABLE_OPTIONS(at)                                              \
	{ "table", 0, "NAME", NULL, option_text, at(table) },          \
		{ "width", 0, "N", NULL, option_positive, at(width) }, \
	{                                                              \
		"wide", 0, NULL, NULL, option_flag, at(wide)           \
	}

/*
 * Lets tables of text fit the terminal that `out` is, or options->width, unless options->wide.
 * Without a terminal and a width, tables have any width.
 */
void report_fit(struct report *report, const struct table_options *options, FILE *out);

/* Returns the number of tables that JSON and CSV have. */
size_t report_count_tables(const struct report *report);

/* Returns the name of such a table, i < report_count_tables(report). It is the report's. */
const char *report_table_name(const struct report *report, size_t i);

/* Writes such a table as a plain CSV file. */
void report_write_table(const struct report *report, size_t i, FILE *out);

/*
 * Keeps only a table, in all formats, and no legend; with NULL, everything. Returns 0, or
 * EXIT_USAGE after a message with the names of the tables.
 */
int report_select(struct report *report, const char *table);

/* Returns whether the report is bytes in the format of another program. */
bool report_is_raw(const struct report *report);

/* If the report would be a CSV file of several tables, names them in a message. */
void report_note_tables(const struct report *report);

#endif
