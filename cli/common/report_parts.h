/* SPDX-License-Identifier: MIT */
/* The contents of a report until it is written, and the writers of the three formats. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "cli/common/checked.h"
#include "cli/common/tracereport.h"

/* Types of values that only the report itself adds: booleans are facts, and names of facts and
 * columns are in the legend. */
enum { REPORT_BOOL = REPORT_CHANGE + 1, REPORT_NAME };

struct value {
	int type; /* enum report_type, REPORT_BOOL or REPORT_NAME */
	union {
		uint64_t u64;
		double f64;
		char *string; /* owned by the report; NULL: not known */
		bool boolean;
	};
};

struct fact {
	char *name;
	char *unit;
	char *remark; /* only for text; NULL: none */
	bool not_in_text;
	struct value value;
};

struct part {
	char *table; /* name of the table; NULL: facts */
	bool only_in_text, not_in_text;
	struct report_column *columns;
	size_t n_columns;
	bool owns_columns; /* the names and units of columns are the report's */
	ARRAY(struct fact) facts;
	ARRAY(struct value) cells; /* row by row */
};

struct report {
	FILE *out;
	enum report_format format;
	size_t width; /* to which tables of text are fitted; 0: to none */
	ARRAY(struct part) parts;
	struct part legend; /* a table of names and meanings, not one of the parts */
	void *raw;          /* takes the place of all parts; NULL: nothing does */
	size_t raw_size;
};

void report_write_text(const struct report *report);
void report_write_json(const struct report *report);
void report_write_csv(const struct report *report);

/* Write a table, or facts, perhaps without the head line, as CSV. */
void report_write_csv_table(FILE *out, const struct part *part);
void report_write_csv_facts(FILE *out, const struct part *part, bool head);

void report_free_part(struct part *part);

#endif
