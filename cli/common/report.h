/* SPDX-License-Identifier: MIT */
/*
 * One writer for all results, so that text, JSON and CSV say the same. A report is facts (name,
 * value, unit) and tables (named, typed columns with units). Names are lower_snake_case and are
 * the JSON keys and the CSV heads; text shows them with blanks for underscores.
 *
 * text  facts aligned, numbers with thousands separators, unless they are names; units in the
 *       singular if there is one; tables with a head line, aligned;
 *       strings from a trace are made harmless to a terminal (escape.h)
 * json  one object: facts are members, each table a member that is an array of objects
 * csv   facts as name,value,unit lines under that head; each table after a blank line and a line
 *       "# NAME", with a head line. A report of one table and no facts is a plain CSV file
 *
 * What is not known (a NULL string, a double that is not finite) is "-", null, and nothing.
 * JSON and CSV have up to 15 digits of a double. Integers beyond 2^63 - 1, which honest traces do
 * not have, are decimal strings in JSON, for no JSON number would be exact.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };
#define REPORT_FORMATS "text|json|csv"

/* Parses "text", "json" or "csv". */
bool parse_report_format(const char *text, enum report_format *format);

struct report;

/* A report to `out`, written by report_end. Ends the process with a message if memory is out. */
struct report *report_begin(FILE *out, enum report_format format);

void report_u64(struct report *, const char *name, const char *unit, uint64_t value);
/* A number that names something, such as a process. */
void report_id(struct report *, const char *name, uint64_t value);
void report_f64(struct report *, const char *name, const char *unit, double value);
void report_bool(struct report *, const char *name, bool value);
void report_string(struct report *, const char *name, const char *value);

enum report_type { REPORT_U64, REPORT_ID, REPORT_F64, REPORT_STRING, REPORT_HEX };

struct report_column {
	const char *name; /* NULL ends the list */
	enum report_type type;
	const char *unit; /* "" for none */
};

/* Starts a table; it ends with the next report_table, fact, or report_end. columns must outlive
 * the report. */
void report_table(struct report *, const char *name, const struct report_column *columns);

/* Appends a row: one argument a column, uint64_t (U64, ID, HEX), double or const char *. */
void report_row(struct report *, ...);

/* Appends a row of a table whose columns are U64, as many as there are values; with a label, after
 * a STRING one. */
void report_row_of_counts(struct report *, const char *label, const uint64_t *values);

/* The same for columns that are U64 or HEX, some of whose values are not known. */
void report_row_of_known(struct report *, const char *label, const uint64_t *values,
			 const bool *known);

/* What a column has in a row. */
struct report_cell {
	bool known;
	union {
		uint64_t u64; /* U64, ID, HEX */
		double f64;
		const char *string;
	};
};

/* Appends a row of one cell a column. */
void report_row_of_cells(struct report *, const struct report_cell *cells);

/* Writes what there is so far to another stream, in another format. */
void report_write(const struct report *, FILE *out, enum report_format format);

/* Frees it, unwritten. */
void report_free(struct report *);

/* Writes everything and frees the report. Write errors are left to command_close_stdout. */
void report_end(struct report *);

#endif
