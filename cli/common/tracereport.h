/* SPDX-License-Identifier: MIT */
/*
 * The writer of all results, so that text, JSON and CSV say the same. A report consists of facts
 * (name, value, unit) and tables (named, typed columns with units). Names are lower_snake_case;
 * they are the JSON keys and the CSV heads, and text shows them with blanks for underscores.
 *
 * text  facts aligned, numbers with thousands separators, unless they are names; units in the
 *       singular if there is one; tables with a head line, aligned;
 *       strings from a trace are made harmless to a terminal (escape.h)
 * json  one object: facts are members, each table a member that is an array of objects. The member
 *       "units" has the units: {"bytes_loaded": "bytes", "TABLE": {"COLUMN": "cycles"}}
 * csv   facts as name,value,unit lines under that head; each table after a blank line and a line
 *       "# NAME", with a head line, in which units are in brackets: "mean [cycles]". A report of
 *       one table and no facts is a plain CSV file
 *
 * Names that may be mistaken are defined in a legend at the end: in text a table of that name, in
 * JSON an object of that name, in CSV lines "# NAME: MEANING", which a plain CSV file does not
 * have.
 *
 * A value that is not known (a NULL string, a double that is not finite) is "-" in text, null in
 * JSON and empty in CSV.
 * JSON and CSV have up to 15 digits of a double. Integers beyond 2^63 - 1, which honest traces do
 * not have, are decimal strings in JSON, because no JSON number would be exact.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };
#define REPORT_FORMATS "text|json|csv"

/* Parses "text", "json" or "csv". */
bool report_parse_format(const char *text, enum report_format *format);

struct report;

/*
 * Returns an empty report, which report_end writes to `out`. All functions end the process with a
 * message if memory is out.
 */
struct report *report_begin(FILE *out, enum report_format format);

void report_u64(struct report *, const char *name, const char *unit, uint64_t value);
/* Adds a number that is a name, such as that of a process; it has no thousands separators. */
void report_id(struct report *, const char *name, uint64_t value);
void report_f64(struct report *, const char *name, const char *unit, double value);
void report_bool(struct report *, const char *name, bool value);
void report_string(struct report *, const char *name, const char *value);

/*
 * Adds a remark such as "23.4 %", which text shows in brackets behind the last fact. JSON and CSV
 * omit it.
 */
void report_remark(struct report *, const char *remark);
/* Defines the name of a fact or column in the legend. */
void report_define(struct report *, const char *name, const char *meaning);
/* Omits the last fact from text, where a table shows the same. */
void report_not_in_text(struct report *);

enum report_type {
	REPORT_U64,
	REPORT_ID,
	REPORT_F64,
	REPORT_STRING,
	REPORT_HEX,
	REPORT_CHANGE /* int64_t; text shows its sign, also of increases */
};

struct report_column {
	const char *name; /* NULL ends the list */
	enum report_type type;
	const char *unit; /* "" or NULL for none */
};

/* Starts a table; it ends with the next report_table, fact, or report_end. The names of columns
 * must outlive the report. */
void report_table(struct report *, const char *name, const struct report_column *columns);

/* Starts a table of text; JSON and CSV do not have it. Facts that follow stand before the table. */
void report_text_table(struct report *, const char *name, const struct report_column *columns);

/* Starts a table of JSON and CSV; text does not have it. */
void report_data_table(struct report *, const char *name, const struct report_column *columns);

/*
 * Appends a row: one argument for each column, at most 32. Integers are for U64, ID, HEX, CHANGE
 * and F64, floating-point numbers for F64, strings for STRING; other types do not compile. A row
 * that does not fit its columns is a fault of the program, and ends it with a message.
 */
#define report_row(report, ...) \
	report_row_of_typed(report, REPORT_COUNT(__VA_ARGS__), REPORT_CELLS(__VA_ARGS__))

/* Appends a row of a table whose columns are U64, as many as there are values; with a label, after
 * a STRING one. */
void report_row_of_counts(struct report *, const char *label, const uint64_t *values);

/* Appends such a row whose columns are U64 or HEX, some of whose values are not known. */
void report_row_of_known(struct report *, const char *label, const uint64_t *values,
			 const bool *known);

enum report_cell_type { REPORT_AS_COLUMN, REPORT_IS_INTEGER, REPORT_IS_REAL, REPORT_IS_TEXT };

/* The value of a column in a row. */
struct report_cell {
	bool known;
	enum report_cell_type type; /* REPORT_AS_COLUMN: not checked */
	union {
		uint64_t u64; /* U64, ID, HEX; CHANGE as int64_t */
		double f64;
		const char *string;
	};
};

/* Appends a row of one cell for each column. */
void report_row_of_cells(struct report *, const struct report_cell *cells);

/* Appends a row of `count` cells whose number and types must be those of the columns. */
void report_row_of_typed(struct report *, size_t count, const struct report_cell *cells);

/*
 * Replaces the contents, in all formats, by bytes in the format of another program. The bytes, from
 * malloc, become the report's.
 */
void report_raw(struct report *, void *bytes, size_t size);

/* Writes the contents so far to another stream, in another format. */
void report_write(const struct report *, FILE *out, enum report_format format);

/* Frees a report without writing it. */
void report_free(struct report *);

/* Writes the report and frees it. The caller checks the stream for write errors. */
void report_end(struct report *);

/* ---- how report_row gets types ----------------------------------------------------------- */

static inline struct report_cell report_integer_cell(uint64_t value)
{
	struct report_cell cell = { true, REPORT_IS_INTEGER, { value } };

	return cell;
}

static inline struct report_cell report_real_cell(double value)
{
	struct report_cell cell = { true, REPORT_IS_REAL, { 0 } };

	cell.f64 = value;
	return cell;
}

static inline struct report_cell report_text_cell(const char *value)
{
	struct report_cell cell = { value != NULL, REPORT_IS_TEXT, { 0 } };

	cell.string = value;
	return cell;
}

/* clang-format off */
#define REPORT_CELL(value) _Generic((value), char *: report_text_cell, \
	const char *: report_text_cell, float: report_real_cell, double: report_real_cell, \
	default: report_integer_cell)(value)
#define REPORT_CELLS(...) (const struct report_cell[]) { REPORT_CELLS_OF(__VA_ARGS__) }
#define REPORT_COUNT(...) (sizeof(REPORT_CELLS(__VA_ARGS__)) / sizeof(struct report_cell))
#define REPORT_CELLS_OF(...) REPORT_CHOOSE(__VA_ARGS__, \
	REPORT_32, REPORT_31, REPORT_30, REPORT_29, REPORT_28, REPORT_27, REPORT_26, REPORT_25, \
	REPORT_24, REPORT_23, REPORT_22, REPORT_21, REPORT_20, REPORT_19, REPORT_18, REPORT_17, \
	REPORT_16, REPORT_15, REPORT_14, REPORT_13, REPORT_12, REPORT_11, REPORT_10, REPORT_9, \
	REPORT_8, REPORT_7, REPORT_6, REPORT_5, REPORT_4, REPORT_3, REPORT_2, REPORT_1, \
	)(__VA_ARGS__)
#define REPORT_CHOOSE(a1, a2, a3, a4, a5, a6, a7, a8, b1, b2, b3, b4, b5, b6, b7, b8, \
	c1, c2, c3, c4, c5, c6, c7, c8, d1, d2, d3, d4, d5, d6, d7, d8, name, ...) name
#define REPORT_1(a) REPORT_CELL(a)
#define REPORT_2(a, ...) REPORT_CELL(a), REPORT_1(__VA_ARGS__)
#define REPORT_3(a, ...) REPORT_CELL(a), REPORT_2(__VA_ARGS__)
#define REPORT_4(a, ...) REPORT_CELL(a), REPORT_3(__VA_ARGS__)
#define REPORT_5(a, ...) REPORT_CELL(a), REPORT_4(__VA_ARGS__)
#define REPORT_6(a, ...) REPORT_CELL(a), REPORT_5(__VA_ARGS__)
#define REPORT_7(a, ...) REPORT_CELL(a), REPORT_6(__VA_ARGS__)
#define REPORT_8(a, ...) REPORT_CELL(a), REPORT_7(__VA_ARGS__)
#define REPORT_9(a, ...) REPORT_CELL(a), REPORT_8(__VA_ARGS__)
#define REPORT_10(a, ...) REPORT_CELL(a), REPORT_9(__VA_ARGS__)
#define REPORT_11(a, ...) REPORT_CELL(a), REPORT_10(__VA_ARGS__)
#define REPORT_12(a, ...) REPORT_CELL(a), REPORT_11(__VA_ARGS__)
#define REPORT_13(a, ...) REPORT_CELL(a), REPORT_12(__VA_ARGS__)
#define REPORT_14(a, ...) REPORT_CELL(a), REPORT_13(__VA_ARGS__)
#define REPORT_15(a, ...) REPORT_CELL(a), REPORT_14(__VA_ARGS__)
#define REPORT_16(a, ...) REPORT_CELL(a), REPORT_15(__VA_ARGS__)
#define REPORT_17(a, ...) REPORT_CELL(a), REPORT_16(__VA_ARGS__)
#define REPORT_18(a, ...) REPORT_CELL(a), REPORT_17(__VA_ARGS__)
#define REPORT_19(a, ...) REPORT_CELL(a), REPORT_18(__VA_ARGS__)
#define REPORT_20(a, ...) REPORT_CELL(a), REPORT_19(__VA_ARGS__)
#define REPORT_21(a, ...) REPORT_CELL(a), REPORT_20(__VA_ARGS__)
#define REPORT_22(a, ...) REPORT_CELL(a), REPORT_21(__VA_ARGS__)
#define REPORT_23(a, ...) REPORT_CELL(a), REPORT_22(__VA_ARGS__)
#define REPORT_24(a, ...) REPORT_CELL(a), REPORT_23(__VA_ARGS__)
#define REPORT_25(a, ...) REPORT_CELL(a), REPORT_24(__VA_ARGS__)
#define REPORT_26(a, ...) REPORT_CELL(a), REPORT_25(__VA_ARGS__)
#define REPORT_27(a, ...) REPORT_CELL(a), REPORT_26(__VA_ARGS__)
#define REPORT_28(a, ...) REPORT_CELL(a), REPORT_27(__VA_ARGS__)
#define REPORT_29(a, ...) REPORT_CELL(a), REPORT_28(__VA_ARGS__)
#define REPORT_30(a, ...) REPORT_CELL(a), REPORT_29(__VA_ARGS__)
#define REPORT_31(a, ...) REPORT_CELL(a), REPORT_30(__VA_ARGS__)
#define REPORT_32(a, ...) REPORT_CELL(a), REPORT_31(__VA_ARGS__)
/* clang-format on */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
