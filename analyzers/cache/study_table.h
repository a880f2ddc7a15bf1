/* SPDX-License-Identifier: MIT */
/* A table of studies, for the files that make these tables. */
#ifndef CACHE_STUDY_TABLE_H
#define CACHE_STUDY_TABLE_H

#include "analyzers/cache/study.h"

/*
 * A table of several hierarchies: its first column names the hierarchy. Text does not have that
 * column if there is only one.
 */
struct study_table {
	const struct cache_studies *studies;
	struct report *report;
	const char *name;
	const struct report_column *columns;
	uint64_t instructions;
	bool unnamed; /* the first column is left out */
};

/* Puts a row. Its cells begin with the name of the hierarchy. */
void study_table_row(const struct study_table *table, const struct report_cell *cells);

/* Reports a table, whose rows `add_rows` puts. */
void study_table_put(struct study_table table, void (*add_rows)(const struct study_table *table));

/* Reports the tables about the coherence of several cores. table: with studies and report. */
void study_contention_tables(struct study_table table);

#endif
